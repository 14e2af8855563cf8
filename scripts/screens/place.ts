// Starts the gateway and the fake models for the pictures.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Fake, startFake } from '../../src/testing/index.ts'
import { BOARD } from './story.ts'

/** A gateway with its own workspace, whose models answer by the story. */
export type Place = {
  readonly url: string
  /** The model of the agents. */
  readonly writer: Fake
  /** The models of the advisors, by their ids. */
  readonly board: Readonly<Record<string, Fake>>
  readonly close: () => Promise<void>
}

const root = join(import.meta.dirname, '../..')

const ADVISORS = [
  {
    id: 'builder',
    name: 'The Builder',
    group: 'Doing',
    description: 'Looks for the smallest version that could be in real hands this week.',
  },
  {
    id: 'sceptic',
    name: 'The Sceptic',
    group: 'Doing',
    description: 'Looks for what breaks, and says what evidence would change its mind.',
  },
  {
    id: 'steward',
    name: 'The Steward',
    group: 'Means',
    description: 'Keeps the money and the hours, and puts rough numbers on everything.',
  },
  {
    id: 'advocate',
    name: 'The Advocate',
    group: 'People',
    description: 'Speaks for those who are affected and are not in the room.',
  },
  {
    id: 'strategist',
    name: 'The Strategist',
    group: 'Means',
    description: 'Takes the long view, and treats what cannot be undone with care.',
  },
] as const

const MODEL = 'openrouter/house/writer-large'
const FACTS = { window: 128_000, output: 8192, price: { input: 3, output: 15 } }

export async function openPlace(): Promise<Place> {
  const writer = await startFake({ wire: 'openai', flavour: 'openrouter' })
  const seats = await Promise.all(Object.keys(BOARD).map(async id => [id, await startFake({ wire: 'openai' })] as const))
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-screens-'))
  const home = join(folder, 'home')
  mkdirSync(join(home, 'projects', 'garden'), { recursive: true })
  const put = (name: string, value: string): void => writeFileSync(join(home, name), value, { mode: 0o600 })
  put('projects/garden/CONTEXT.md', 'A small garden on a north slope; clay, late frosts, two beds.\n')
  put('turnwise.json', JSON.stringify(settings(writer, seats), null, 2))
  put('agents.json', JSON.stringify(AGENTS, null, 2))
  put('councils.json', JSON.stringify({ councils: { board: board() } }, null, 2))
  cpSync(join(root, 'skills'), join(home, 'skills'), { recursive: true })

  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, TURNWISE_HOME: home, TURNWISE_PORT: '0', TURNWISE_DEMO_DELAY_MS: '5' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    for (const fake of [writer, ...seats.map(([, each]) => each)]) await fake.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: await addressOf(child), writer, board: Object.fromEntries(seats), close }
}

const settings = (writer: Fake, seats: readonly (readonly [string, Fake])[]): object => ({
  model: MODEL,
  policies: { short: { extends: 'steady', budget: { tokens: 2500 }, recall: { tokens: 400 } } },
  providers: {
    openrouter: { baseURL: writer.url, apiKey: 'none' },
    ...Object.fromEntries(seats.map(([id, { url }]) => [id, { baseURL: url, apiKey: 'none' }])),
  },
  models: {
    [MODEL]: FACTS,
    ...Object.fromEntries(seats.map(([id]) => [`compatible/${id}/speaker`, { ...FACTS, window: 64_000 }])),
  },
})

const AGENTS = {
  agents: {
    engineer: {
      name: 'Engineer',
      description: 'Answers questions about software with numbers and small examples.',
      prompt:
        'You are an engineer who explains trade-offs plainly. Prefer a table to three paragraphs, and an example to a rule.',
      color: '#2c6b5f',
    },
    editor: {
      name: 'Editor',
      description: 'Makes texts shorter and clearer without changing what they say.',
      prompt: 'You are an editor. Cut what can be cut; keep the author’s voice.',
      color: '#8a4b9e',
    },
  },
}

const board = (): object => ({
  name: 'Board',
  advisors: ADVISORS.map(advisor => ({ ...advisor, model: `compatible/${advisor.id}/speaker`, active: true })),
  early: { turns: 0 },
})

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the gateway has no voice')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the gateway ended before it listened')
}
