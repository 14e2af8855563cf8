import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, type EngineOptions, type ExportFormat, openEngine } from '../../src/engine.ts'
import type { Fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Result } from '../../src/model/result.ts'
import { TITLE } from '../../src/model/settings/council.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { says } from '../../src/testing/scripted.ts'
import { type Tool, toolbox } from '../../src/tool/toolbox.ts'
import { advisor, councilOf, round, stand } from '../support/council.ts'
import { ask, isEvent, until } from '../support/engine.ts'
import { PNG } from '../support/files.ts'

export function must<Value>(result: Result<Value, Fault>): Value {
  assert.ok(result.ok, result.ok ? '' : `${result.fault.kind}: ${result.fault.message}`)
  return result.value
}

const stamp: Tool = {
  spec: { name: 'stamp', description: 'Stamps a paper.', parameters: { type: 'object' } },
  approval: 'ask',
  parallel: false,
  idempotent: false,
  prepare: async args => ({
    argv: ['stamp', JSON.stringify(args), '<ink>'],
    facts: {
      binary: { path: '/opt/stamp', sha256: 'ab'.repeat(32) },
      env: ['HOME', 'PATH'],
      server: { name: 'office', command: ['office', '--all'], url: 'https://example.com', sha256: 'aa', schema: 'bb' },
      resolver: [{ param: 'ink', at: 2, argv: ['ink', 'x'], binary: { path: '/opt/ink', sha256: 'cd'.repeat(32) } }],
      descriptor: 'ef'.repeat(32),
    },
    run: async () => ({ ok: true, outcome: 'stamped', content: 'line one\n```\nline two', argv: ['stamp', 'blue'] }),
  }),
}

/** Thinks, calls a tool when it is asked to, and names sessions. */
const provider = stand(request => {
  const { voice, turn, messages } = request
  const last = JSON.stringify(messages.at(-1))
  if (voice === TITLE) return says('Papers and stamps')
  if (last.includes('please stamp')) return CALLS
  const thought: Delta = { type: 'think', text: `I am ${voice}.` }
  return [thought, ...says(`${voice} says **${turn}**.`)]
})

const CALLS: readonly Delta[] = [{ type: 'call', call: 'c1', tool: 'stamp', text: '{"paper":"the\\u00e9ory"}' }, { type: 'done' }]

export const OPTIONS: Omit<EngineOptions, 'log'> = {
  provider,
  // Half a character, as JSON may name one, has to survive everything.
  agents: () => [{ ...ASSISTANT, prompt: 'You are half a \ud83d.' }],
  toolbox: toolbox([stamp]),
  councils: () => [councilOf([advisor('buber'), advisor('godin')])],
  models: { demo: { images: true } },
}

/** An engine on a database of its own; both are gone when the test is. */
export async function houseOf(
  atEnd: (close: () => Promise<void>) => void,
  options: Omit<EngineOptions, 'log'> = OPTIONS,
): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-archive-'))
  const engine = must(await openEngine(join(folder, 'test.db'), options))
  atEnd(async () => {
    await engine.close(0)
    rmSync(folder, { recursive: true, force: true })
  })
  return engine
}

export type Talks = {
  readonly tools: SessionId
  readonly council: SessionId
  readonly fork: SessionId
  readonly named: SessionId
}

/** Conversations with everything in them that a log can hold of one. */
export async function talkIn(engine: Engine): Promise<Talks> {
  const tools = must(await engine.open({ title: 'Stamps, <b>papers</b> & co.' })).id
  const parts = [
    { type: 'image' as const, name: 'photo.png', mediaType: 'image/png', data: PNG },
    { type: 'file' as const, name: 'notes.md', mediaType: 'text/markdown', data: Buffer.from('# Oslo\n').toString('base64') },
  ]
  must(await engine.say({ session: tools, text: 'please stamp', parts, from: 'person', key: 'k1' }))
  await until(engine, tools, signal => isEvent(signal, 'approval.asked'))
  const [waiting] = engine.approvals()
  assert.ok(waiting !== undefined)
  must(await engine.answer(waiting.approval, 'once', 'it is fine'))
  await until(engine, tools, signal => isEvent(signal, 'turn.ended'))
  await ask(engine, tools, 'And \ud83d\ude00 now?\u2028A line, \u0085 another, \udc00 half of one.')
  must(await engine.mark(tools, 1, 'pin'))
  await ask(engine, tools, 'Thank you')
  const fork = must(await engine.fork(tools, 6)).id
  await ask(engine, fork, 'Another way')

  const council = must(await engine.open({ council: 'board' })).id
  await round({ engine, session: council, seats: { council: councilOf([]) } }, 'What shall we do?')
  await round({ engine, session: council, seats: { council: councilOf([]) } }, 'And then?')
  must(await engine.synthesize(council, 'brief'))
  await until(engine, council, signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'house:synthesis')

  const named = must(await engine.open({})).id
  await ask(engine, named, 'How do boats float?')
  must(await engine.title(named))
  await until(engine, named, signal => isEvent(signal, 'session.changed'))
  await until(engine, named, signal => isEvent(signal, 'turn.ended') && signal.event.voice === TITLE)
  must(await engine.change(named, { archived: true }))
  return { tools, council, fork, named }
}

export async function exportedFrom(engine: Engine, which: SessionId | 'all', format: ExportFormat = 'json'): Promise<string> {
  let text = ''
  for await (const piece of must(await engine.export(which, format)).pieces) text += piece
  return text
}

/** A text as bytes that come in pieces, wherever those end. */
export async function* bytesOf(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function verdictsOf(engine: Engine, id: SessionId): Promise<readonly string[]> {
  const verdicts: string[] = []
  for await (const { verdict, detail = '' } of engine.verify(id)) verdicts.push(verdict === 'identical' ? verdict : detail)
  return verdicts
}
