import assert from 'node:assert/strict'
import { presets } from '../../src/context/presets.ts'
import type { Engine, EngineOptions, Fold } from '../../src/engine.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import { FOLD, isInternalVoice } from '../../src/model/settings/council.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { says } from '../../src/testing/scripted.ts'
import { type Stand, stand } from './council.ts'
import { engineWith, eventsOf, isEvent, until } from './engine.ts'

export const must = <Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: { readonly message: string } },
): Value => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

/** A window of about two thousand tokens that folds, without quotes that would have to be told apart. */
export const folding = (more: Partial<Policy> = {}): Policy => ({
  ...presets.steady,
  name: 'folding',
  window: { kind: 'tokens', low: null, high: null },
  recall: null,
  fold: { by: 'model', tokens: 'auto' },
  budget: { tokens: 3000, reserve: 400 },
  ...more,
})

const lastText = ({ messages }: DemoRequest): string =>
  (messages.at(-1)?.blocks ?? []).flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')

/** Whether a request asks for a fold, in one form or the other. */
export const isForFold = (request: DemoRequest): boolean =>
  request.voice === FOLD || lastText(request).startsWith('[This is a note of the program')

/** What is said in the exchange of a number: about a hundred tokens on each side, each with an id of its own. */
export const question = (n: number): string =>
  `Question ${n}: please note ticket T-${1000 + n} for room ${n}. ${'We look at the plan of the house again, at its doors and at the windows. '.repeat(6)}`
export const answer = (n: number): string =>
  `Ticket T-${1000 + n} is noted for room ${n}. ${'The doors stay as they are, and the windows get new frames in spring. '.repeat(6)}`

/** The number of a question. */
export const numberIn = (request: DemoRequest): number => Number(/Question (\d+):/.exec(lastText(request))?.[1] ?? 0)

export const SUMMARY = 'The person had tickets noted for the rooms, and the doors stay as they are.'

/** Answers questions, and folds as it is told. */
export const folder = (
  fold: (request: DemoRequest, signal: AbortSignal) => readonly Delta[] | AsyncIterable<Delta> = () => says(SUMMARY),
): Stand => stand((request, signal) => (isForFold(request) ? fold(request, signal) : says(answer(numberIn(request)))))

export type Folder = { readonly engine: Engine; readonly session: SessionId; readonly provider: Stand }

/** An engine with a session under a policy that folds. */
export async function folderWith(
  provider: Stand,
  policy: Policy = folding(),
  options: Partial<EngineOptions> = {},
): Promise<Folder> {
  const engine = engineWith({ provider, policies: [policy], policy: policy.name, ...options })
  return { engine, provider, session: must(await engine.open({})).id }
}

/** Says something and waits for its answer; what goes on in the background is not waited for. */
export async function talk({ engine, session }: Pick<Folder, 'engine' | 'session'>, n: number): Promise<void> {
  const { turns } = must(await engine.say({ session, text: question(n), from: 'person' }))
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && turns.includes(signal.event.turn))
  // With a log in memory nothing else would ever let the background have its turn.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

/** Talks until a fold is there, from exchange `n` on; gives the number of the last exchange. */
export async function talkUntilFolded(folder: Pick<Folder, 'engine' | 'session'>, n = 1): Promise<number> {
  const before = (await foldsOf(folder)).length
  for (let next = n; next < n + 40; next += 1) {
    await talk(folder, next)
    if (await isFoldUnderWay(folder)) await endOfFold(folder)
    if ((await foldsOf(folder)).length > before) return next
  }
  throw new Error('nothing was folded')
}

/** Whether a turn that folds has begun and not ended. What is due begins within a few turns of the event loop. */
export async function isFoldUnderWay({ engine, session }: Pick<Folder, 'engine' | 'session'>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    const events = await eventsOf(engine, session)
    const started = events.filter(event => event.type === 'turn.started' && event.voice === FOLD).length
    const ended = events.filter(event => event.type === 'turn.ended' && event.voice === FOLD).length
    if (started > ended) return true
    await new Promise(resolve => setImmediate(resolve))
  }
  return false
}

/** Waits until every turn that folds and has begun is over. */
export async function endOfFold({ engine, session }: Pick<Folder, 'engine' | 'session'>): Promise<void> {
  const events = await eventsOf(engine, session)
  const open = events.flatMap(event => (event.type === 'turn.started' && event.voice === FOLD ? [event.turn] : [])).at(-1)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === open)
}

/** Waits until a session has so many folds. */
export async function folded({ engine, session }: Pick<Folder, 'engine' | 'session'>, many = 1): Promise<readonly Fold[]> {
  let seen = 0
  await until(engine, session, signal => {
    if (isEvent(signal, 'history.folded')) seen += 1
    return seen >= many
  })
  return must(await engine.folds(session))
}

export const foldsOf = async ({ engine, session }: Pick<Folder, 'engine' | 'session'>): Promise<readonly Fold[]> =>
  must(await engine.folds(session))

export const countingFolds = async (folder: Pick<Folder, 'engine' | 'session'>): Promise<readonly Fold[]> =>
  (await foldsOf(folder)).filter(({ counts }) => counts)

/** The receipts of answers, oldest first. */
export const receiptsOf = async ({ engine, session }: Pick<Folder, 'engine' | 'session'>): Promise<readonly Receipt[]> =>
  (await eventsOf(engine, session)).flatMap(event =>
    event.type === 'context.planned' && !isInternalVoice(event.receipt.voice) ? [event.receipt] : [],
  )

/** Every recorded request is built again, byte for byte. */
export async function verifies({ engine, session }: Pick<Folder, 'engine' | 'session'>): Promise<number> {
  let many = 0
  for await (const { verdict, detail, turn, step } of engine.verify(session)) {
    assert.equal(verdict, 'identical', `${turn} ${step}: ${detail}`)
    many += 1
  }
  return many
}

/** Every turn that began has ended, and no seq is there twice. */
export function isWhole(events: readonly Recorded[]): void {
  const ended = new Set(events.flatMap(event => (event.type === 'turn.ended' ? [event.turn] : [])))
  for (const event of events) if (event.type === 'turn.started') assert.ok(ended.has(event.turn), `${event.turn} has no end`)
}
