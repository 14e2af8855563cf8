// How long it takes to choose what is sent, for us and for two libraries, on one session that is in memory for all of them.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { assemble } from '../src/context/assemble.ts'
import { beginsMessage } from '../src/context/begins.ts'
import { presets } from '../src/context/presets.ts'
import type { Event } from '../src/model/event.ts'
import type { TurnId } from '../src/model/ids.ts'
import type { Material } from '../src/model/plan.ts'
import type { Policy } from '../src/model/policy.ts'
import { createMeasure } from '../src/turn/measure.ts'
import { type Conversation, generated, materialOf, spokenOf, TALK } from './conversations.ts'
import { type Case, markdown, measure, type Row, report, type Scale, sure } from './measure.ts'
import { aiSdk, counterOf, langChain, PRUNE_RULES, toAiSdk, toLangChain } from './peers.ts'

/** A peer that takes longer than this for one context is not waited for, nor asked about longer sessions. */
const PATIENCE_MS = 20_000
const BUDGET = 8000

/** Chooses once; what it needs was made before. Null where the library is not installed. */
type Go = () => unknown
type Contender = { readonly name: string; readonly prepare: (session: Conversation) => Promise<Go | null> }

const OURS = 'ours: steady, from where its window begins'
const steady: Policy = { ...presets.steady, budget: { ...presets.steady.budget, tokens: BUDGET } }
const house = createMeasure()

const CONTENDERS: readonly Contender[] = [
  {
    name: OURS,
    // As the engine reads: from where the last window began, and the number of messages before that from the running total.
    prepare: async session => {
      const begins = halfGrown(session)
      const gap = { from: 1, to: begins - 1, messages: session.events.slice(0, begins - 1).filter(beginsMessage).length }
      const gaps = begins === 1 ? [] : [gap]
      const material = newest(session, begins)
      return () => sure(assemble({ ...material, events: session.events.slice(begins - 1), gaps }, steady, house))
    },
  },
  {
    name: 'ours: steady, everything handed over',
    prepare: async session => {
      const material = newest(session, halfGrown(session))
      return () => sure(assemble({ ...material, events: session.events }, steady, house))
    },
  },
  {
    name: 'LangChain trimMessages',
    prepare: async session => {
      const chain = await langChain()
      if (chain === null) return null
      const spoken = spokenOf(session)
      const weights = new Map(spoken.map(({ seq, text }) => [`${seq}`, house.count(text) + 4]))
      const messages = spoken.map(message => toLangChain(chain, message))
      const rules = { strategy: 'last', maxTokens: BUDGET, tokenCounter: counterOf(weights), startOn: 'human' } as const
      return () => chain.trimMessages(messages, rules)
    },
  },
  {
    name: 'AI SDK pruneMessages',
    prepare: async session => {
      const sdk = await aiSdk()
      const messages = spokenOf(session).map(toAiSdk)
      return sdk === null ? null : () => sdk.pruneMessages({ ...PRUNE_RULES, messages })
    },
  },
]

const quick = process.argv.includes('--quick')
const SIZES = quick ? [100, 1000] : [100, 10_000, 100_000, 1_000_000]
const scale: Scale = { quick, small: SIZES[0] ?? 0, large: SIZES.at(-1) ?? 0, rounds: quick ? 1 : 3, goes: quick ? 10 : 200 }

const probe = process.argv.indexOf('--probe')
if (probe !== -1) await goOnce(process.argv[probe + 1] ?? '', Number(process.argv[probe + 2]))
else await report('peers-context', scale, compare)

async function compare(): Promise<readonly Row[]> {
  const rows: Row[] = []
  const lost = new Set<Contender>()
  for (const size of SIZES) {
    const cases: Case[] = []
    const session = sessionOf(size)
    for (const contender of CONTENDERS.filter(each => !lost.has(each))) {
      const ms = await triedAlone(contender, size)
      if (ms !== null) cases.push(await caseOf(contender, session, size, ms))
      if (ms === null) lost.add(contender)
    }
    rows.push(...(await measure(cases, scale)))
  }
  console.log(`each ÷ ${OURS}, p50\n\n${ratios(rows).join('\n')}\n`)
  return rows
}

async function caseOf({ name, prepare }: Contender, session: Conversation, size: number, ms: number): Promise<Case> {
  const go = await prepare(session)
  const goes = Math.max(1, Math.min(scale.goes, Math.floor(2000 / ms)))
  return {
    messages: size,
    goes,
    once: async () => {
      const started = performance.now()
      await go?.()
      return { [name]: performance.now() - started }
    },
  }
}

/** One context in a process of its own, which can be ended: the work of a library cannot be interrupted from outside. */
function triedAlone({ name }: Contender, size: number): Promise<number | null> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--probe', name, `${size}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const giveUp = (why: string): null => {
    console.log(`${name} is not measured at ${size.toLocaleString('en')} messages: ${why}\n`)
    return null
  }
  return new Promise(resolve => {
    let said = ''
    let timer: NodeJS.Timeout | undefined
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      said += chunk
      if (said === 'ready\n') timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    })
    child.once('close', code => {
      clearTimeout(timer)
      const [, line = ''] = said.split('\n')
      if (line === 'absent') resolve(giveUp('it is not installed (cd bench && npm ci)'))
      else if (code === 0 && line !== '') resolve(Number(line))
      else resolve(giveUp(code === null ? `it took longer than ${PATIENCE_MS / 1000} s` : `it stopped with ${code}`))
    })
  })
}

async function goOnce(name: string, size: number): Promise<void> {
  const go = await CONTENDERS.find(each => each.name === name)?.prepare(sessionOf(size))
  process.stdout.write('ready\n')
  if (go === null || go === undefined) {
    process.stdout.write('absent\n')
    return
  }
  // Not before the word is out: what follows may never come back.
  await new Promise(resolve => setTimeout(resolve, 50))
  const started = performance.now()
  await go()
  process.stdout.write(`${performance.now() - started}\n`)
}

function ratios(rows: readonly Row[]): readonly string[] {
  const p50 = (what: string, size: number): number | undefined =>
    rows.find(row => row.what === what && row.messages === size)?.p50
  const cells = CONTENDERS.filter(({ name }) => name !== OURS).map(({ name }) => [
    name,
    ...SIZES.map(size => {
      const [theirs, ours] = [p50(name, size), p50(OURS, size)]
      return theirs === undefined || ours === undefined ? '–' : (theirs / ours).toFixed(1)
    }),
  ])
  return markdown(['', ...SIZES.map(size => size.toLocaleString('en'))], cells)
}

/** A short conversation said again and again, with ids of its own each time, until there are so many messages; then a new one. */
function sessionOf(messages: number): Conversation {
  const base = generated({ shape: TALK, seed: 1, until: { messages: 60 } })
  const spoken = spokenOf(base).length
  const events: Event[] = []
  let many = 0
  for (let round = 0; many < messages; round += 1, many += spoken) {
    for (const event of base.events) events.push(again(event, round, base.events.length))
  }
  const at = '2026-01-01T13:00:00.000Z'
  const [first] = base.events
  if (first === undefined) throw new Error('a conversation has events')
  const placed = { session: first.session, at, tokens: 0 }
  const cause = events.length + 1
  events.push({ ...placed, seq: cause, type: 'message.received', text: 'And what about the ferry?', from: 'person', tokens: 6 })
  events.push({ ...placed, seq: cause + 1, type: 'turn.started', turn: 'trn_new' as TurnId, voice: 'assistant', cause })
  return { ...base, events }
}

function again(event: Event, round: number, length: number): Event {
  const seq = event.seq + round * length
  const call = (id: string): string => `${id}_${round}`
  if (!('turn' in event)) return { ...event, seq }
  const turn = `${event.turn}r${round}` as TurnId
  switch (event.type) {
    case 'turn.started':
      return { ...event, seq, turn, cause: event.cause + round * length }
    case 'tool.started':
    case 'tool.settled':
      return { ...event, seq, turn, call: call(event.call) }
    case 'reply.finished': {
      const parts = event.parts.map(part => (part.type === 'call' ? { ...part, call: call(part.call) } : part))
      return { ...event, seq, turn, parts }
    }
    default:
      return { ...event, seq, turn }
  }
}

/** Where a window stands that has grown half way from low to high. */
function halfGrown({ events }: Conversation): number {
  let tokens = 0
  const from = events.findLastIndex(event => {
    tokens += event.tokens
    return event.type === 'message.received' && tokens > BUDGET / 4
  })
  return Math.max(1, from + 1)
}

/** All that is known when the newest message is to be answered. */
function newest({ events, ...rest }: Conversation, begins: number): Material {
  const turn = { id: 'trn_new' as TurnId, step: 1, cause: events.length - 1, ordinal: 1 }
  const reply = { type: 'reply.finished', turn: turn.id, step: 1, parts: [], seq: events.length + 1 } as const
  const [first] = events
  if (first === undefined) throw new Error('a session has events')
  const asked = { reply: { ...first, ...reply }, voice: 'assistant', turn }
  return { ...materialOf({ ...rest, events: [] }, asked, begins), through: events.length }
}
