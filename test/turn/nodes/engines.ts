// Several engines on one store, as nodes are: what their tests need.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createEngine, type Engine, type EngineOptions, type Log } from '../../../src/index.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { err } from '../../../src/model/result.ts'
import { type ScriptedReply, scriptedProvider } from '../../../src/testing/scripted.ts'
import { isEvent, until } from '../../support/engine.ts'

export const LEASE_MS = 1500

/** An engine on the shared log, closed when the test is over. */
export function node(t: TestContext, log: Log, replies: readonly ScriptedReply[], options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ log, provider: scriptedProvider(replies), leaseMs: LEASE_MS, vectorsFile: null, ...options })
  t.after(() => engine.close(100))
  return engine
}

/** A log that can be cut off from its store: every call is refused until it is joined again. */
export function cuttable(log: Log): { readonly log: Log; readonly cut: () => void; readonly join: () => void } {
  let isCut = false
  const guarded = <Ports extends object>(ports: Ports): Ports =>
    Object.fromEntries(
      Object.entries(ports).map(([name, verb]) => [
        name,
        typeof verb !== 'function' || ['send', 'listen', 'arrive', 'close'].includes(name)
          ? verb !== null && typeof verb === 'object'
            ? guarded(verb)
            : verb
          : async (...given: unknown[]) => (isCut ? err(fault('store', 'the store is away')) : verb(...given)),
      ]),
    ) as Ports
  return {
    log: guarded(log),
    cut: () => {
      isCut = true
    },
    join: () => {
      isCut = false
    },
  }
}

export const say = async (engine: Engine, session: SessionId, text: string): Promise<number> => {
  const said = await engine.say({ session, text, from: 'person' })
  assert.ok(said.ok, said.ok ? '' : said.fault.message)
  return said.value.seq
}
/** When so many turns of the session have ended. */
export function ended(engine: Engine, session: SessionId, turns = 1): Promise<unknown> {
  let seen = 0
  return until(engine, session, signal => {
    if (isEvent(signal, 'turn.ended')) seen += 1
    return seen === turns
  })
}

/** When no node has the lease of a session any more. */
export async function untilFree({ nodes }: Log, session: SessionId): Promise<void> {
  assert.ok(nodes)
  for (;;) {
    const taken = await nodes.leases.take(session, 'probe', 1)
    assert.ok(taken.ok)
    if (taken.value.node === 'probe') break
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  await nodes.leases.giveBack('probe', [session])
}
