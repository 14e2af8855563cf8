import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Engine, Signal } from '../../src/engine.ts'
import type { Event } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import type { ScriptedReply } from '../../src/testing/scripted.ts'

/** Someone who follows a session and remembers all they heard. */
export type Listener = {
  readonly signals: readonly Signal[]
  /** The first signal that fits, heard already or still to come. */
  readonly until: <Fits extends Signal>(fits: (signal: Signal) => signal is Fits) => Promise<Fits>
  readonly words: () => string
  readonly notices: () => readonly string[]
}

export function listenTo(t: TestContext, engine: Engine, id: SessionId, after = 0): Listener {
  const abort = new AbortController()
  t.after(() => abort.abort())
  const signals: Signal[] = []
  const waiting = new Set<() => void>()
  const following = engine.follow(id, after, abort.signal)
  const listening = (async () => {
    for await (const signal of following) {
      signals.push(signal)
      for (const look of waiting) look()
    }
  })()
  return {
    signals,
    until: fits =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = signals.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        listening.then(() => reject(new Error(`following ended: ${JSON.stringify(signals.at(-1))}`)), reject)
      }),
    words: () => signals.map(signal => (signal.type === 'delta' ? signal.delta.text : '')).join(''),
    notices: () => signals.flatMap(signal => (signal.type === 'notice' ? [signal.notice.kind] : [])),
  }
}

export type EventSignal = Extract<Signal, { type: 'event' }>

export const isEvent =
  (type: Event['type'], after = 0) =>
  (signal: Signal): signal is EventSignal =>
    signal.type === 'event' && signal.event.type === type && signal.event.seq > after

export const isNotice =
  (kind: string) =>
  (signal: Signal): signal is Extract<Signal, { type: 'notice' }> =>
    signal.type === 'notice' && signal.notice.kind === kind

export const isWord =
  (text: string) =>
  (signal: Signal): signal is Extract<Signal, { type: 'delta' }> =>
    signal.type === 'delta' && signal.delta.text === text

/** A promise that someone else keeps. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

/** A reply that says its first words, waits for the gate, and says the rest. */
export const haltingly = (first: string, passed: Promise<void>, ...rest: readonly string[]): ScriptedReply =>
  async function* speak(): AsyncGenerator<Delta> {
    yield { type: 'text', text: first }
    await passed
    for (const text of rest) yield { type: 'text', text }
    yield { type: 'done' }
  }

/** The verdict on every request a session ever made. */
export async function verdictsOf(engine: Engine, id: SessionId): Promise<readonly string[]> {
  const verdicts: string[] = []
  for await (const { verdict, detail } of engine.verify(id))
    verdicts.push(detail === undefined ? verdict : `${verdict}: ${detail}`)
  return verdicts
}

/** The receipts of a session, in order. */
export async function receiptsOf(engine: Engine, id: SessionId): Promise<readonly Receipt[]> {
  const read = await engine.read(id, { only: 'context.planned' })
  assert.ok(read.ok)
  return read.value.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
}
