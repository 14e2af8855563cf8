// Makes the generated blocks of the docs: frames, problems and help.
import { spawnSync } from 'node:child_process'
import { presets } from '../src/context/presets.ts'
import { problemOf } from '../src/gateway/http/problem.ts'
import { signalFrame } from '../src/gateway/http/sse.ts'
import { createEngine, memoryLog, weigh } from '../src/index.ts'
import { fault } from '../src/model/fault.ts'
import type { IdKind, Mint } from '../src/model/ids.ts'
import { calls, says, scriptedProvider } from '../src/testing/scripted.ts'
import { toolbox } from '../src/tool/toolbox.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

/** The frames of a message with one tool call, from a real engine with a fixed clock and counted ids. */
export async function frames(): Promise<string> {
  const clock = {
    spec: { name: 'clock', description: 'Tells the time', parameters: { type: 'object', properties: {} } },
    run: async () => ({ ok: true, outcome: '12:00' }),
  }
  const engine = createEngine({
    log: memoryLog({ clock: () => NOON, weigh }),
    provider: scriptedProvider([calls('clock', {}), says('It is', ' 12:00.')]),
    toolbox: toolbox([clock]),
    clock: () => NOON,
    mint: counted(),
  })
  const opened = await engine.open({})
  if (!opened.ok) throw new Error(opened.fault.message)
  const { id } = opened.value
  const reader = new AbortController()
  const signals = engine.follow(id, 0, reader.signal)
  await engine.say({ session: id, text: 'What time is it?', from: 'person' })
  let text = ''
  for await (const signal of signals) {
    text += signalFrame(id, signal)
    if (signal.type === 'event' && signal.event.type === 'turn.ended') break
  }
  reader.abort()
  await engine.close()
  // Durations and measured times differ from run to run.
  return text.replace(/"timings":\{[^}]*\}/g, '"timings":{"readMs":0.4,"assembleMs":0.3}').replace(/"ms":\d+/g, '"ms":1')
}

/** How a turn ends whose system text, tools and new message do not fit into its budget. */
export async function tooLong(): Promise<string> {
  const engine = createEngine({
    log: memoryLog({ clock: () => NOON, weigh }),
    provider: scriptedProvider([]),
    policies: [{ ...presets.steady, name: 'tiny', budget: { tokens: 400, reserve: null } }],
    policy: 'tiny',
    clock: () => NOON,
    mint: counted(),
  })
  const opened = await engine.open({})
  if (!opened.ok) throw new Error(opened.fault.message)
  const { id } = opened.value
  const reader = new AbortController()
  const signals = engine.follow(id, 0, reader.signal)
  await engine.say({ session: id, text: 'word '.repeat(1000), from: 'person' })
  let text = ''
  for await (const signal of signals) {
    if (signal.type !== 'event' || signal.event.type !== 'turn.ended') continue
    text = signalFrame(id, signal)
    break
  }
  reader.abort()
  await engine.close()
  return text
}

export const problem = (): string =>
  JSON.stringify(
    problemOf({ fault: fault('conflict', 'this Idempotency-Key was used for another text; use a new key') }),
    null,
    2,
  )

/** The help texts of the command line and of each command. */
export function help(): string {
  const ask = (...args: readonly string[]): string =>
    spawnSync(process.execPath, ['src/main.ts', ...args, '--help'], {
      encoding: 'utf8',
      env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
    }).stdout
  const whole = ask()
  const listed = whole.slice(0, whole.indexOf('\nExamples:'))
  const commands = [...listed.matchAll(/^ {2}([a-z]+)\b.*$/gm)].map(([, name]) => name ?? '').filter(name => name !== 'help')
  return [whole, ...[...new Set(commands)].map(name => ask(name))].map(text => text.trimEnd()).join('\n\n')
}

function counted(): Mint {
  const counts: Record<IdKind, number> = { ses: 0, trn: 0, rcp: 0, apr: 0, evt: 0 }
  return kind => {
    counts[kind] += 1
    return `${kind}_${counts[kind]}` as never
  }
}
