/** A workspace that people have really used: councils, forks, folds, pins, files, tools, a deleted chat, an answer that is not kept. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Engine, openEngine } from '../../../../src/engine.ts'
import { enterWorkspace } from '../../../../src/gateway/workspace/enter-workspace.ts'
import { engineOptions } from '../../../../src/gateway/workspace-engine.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { eventsOf, isEvent, until } from '../../../support/engine.ts'
import { piped } from '../in-process.ts'
import { cleanEnvironment, tempHome } from '../turnwise.ts'

export const KEY = 'sent from a phone'
export const FIRST_WORDS = 'My boat is called Petrel.'

type Env = Readonly<Record<string, string>>

/** An engine on the store of a workspace, as its gateway has it. */
export async function inEngine<Value>(home: string, env: Env, use: (engine: Engine) => Promise<Value>): Promise<Value> {
  const environment = cleanEnvironment(home, env)
  const workspace = await enterWorkspace(environment, { create: true })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const engine = await openEngine(workspace.value.database, engineOptions(workspace.value, environment))
  assert.ok(engine.ok, engine.ok ? '' : engine.fault.message)
  try {
    return await use(engine.value)
  } finally {
    await engine.value.close(0)
    await workspace.value.shared?.close()
  }
}

function must<Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: { readonly message: string } },
): Value {
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}

/** Says something and waits for so many turns to end. */
async function talk(engine: Engine, inbound: Parameters<Engine['say']>[0], turns = 1): Promise<number> {
  const { seq } = must(await engine.say(inbound))
  let over = 0
  await until(engine, inbound.session, signal => {
    if (isEvent(signal, 'turn.ended') && signal.event.seq > seq) over += 1
    return over >= turns
  })
  return seq
}

export type RealHouse = { readonly home: string; readonly keyed: SessionId; readonly keyedSeq: number }

export async function realHouse(t: TestContext): Promise<RealHouse> {
  const home = tempHome(t)
  const begun = await piped(['ask', 'use clock {}'], { home })
  assert.equal(begun.code, 0, begun.stderr)
  mkdirSync(join(home, 'projects/harbour'), { recursive: true })
  writeFileSync(join(home, 'projects/harbour/CONTEXT.md'), 'Boats.\n')
  return inEngine(home, {}, async engine => {
    const from = 'person'
    const keyed = must(await engine.open({ title: 'Boats', project: 'harbour' })).id
    const keyedSeq = await talk(engine, { session: keyed, text: FIRST_WORDS, from, key: KEY })
    const picture = {
      type: 'file',
      name: 'list.txt',
      mediaType: 'text/plain',
      data: Buffer.from('ropes, paint').toString('base64'),
    } as const
    await talk(engine, { session: keyed, text: 'Here is a list.', parts: [picture], from })
    await talk(engine, { session: keyed, text: 'use clock {}', from })
    await talk(engine, { session: keyed, text: 'think about rivers', from })
    must(await engine.mark(keyed, keyedSeq, 'pin', 'everywhere'))
    const { seq: told } = (await eventsOf(engine, keyed)).find(
      event => event.type === 'message.received' && event.seq > keyedSeq,
    ) ?? { seq: 0 }
    must(await engine.mark(keyed, told, 'exclude'))
    must(await engine.fold(keyed, { by: 'extract' }))
    await talk(engine, { session: keyed, text: 'what do you remember?', from })
    const fork = must(await engine.fork(keyed, keyedSeq)).id
    await talk(engine, { session: fork, text: 'And in the fork?', from })
    must(await engine.change(fork, { archived: true }))
    const council = must(await engine.open({ council: 'board', private: true })).id
    await talk(engine, { session: council, text: 'Shall we sail?', from }, 5)
    const gone = must(await engine.open({})).id
    await talk(engine, { session: gone, text: 'say 20 words', from })
    must(await engine.remove(gone))
    const hello = { model: 'assistant', messages: [{ role: 'user', text: 'hello' }] } as const
    const once = must(await engine.answerOnce(hello, new AbortController().signal))
    for await (const signal of once.signals) if (isEvent(signal, 'turn.ended')) break
    return { home, keyed, keyedSeq }
  })
}
