import { createEngine, type Engine, type EngineOptions, memoryLog, type Signal, weigh } from '../../src/index.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { Mint, SessionId } from '../../src/model/ids.ts'

/** An engine on a log in memory, unless another is given. */
export const engineWith = (options: Partial<EngineOptions>): Engine =>
  createEngine({ log: memoryLog({ clock: Date.now, weigh }), ...options })

export async function openSession(engine: Engine): Promise<SessionId> {
  const opened = await engine.open({})
  if (!opened.ok) throw new Error(opened.fault.message)
  return opened.value.id
}

/** Says something and waits until `count` turns of the session have ended; gives back every event. */
export async function ask(engine: Engine, session: SessionId, text: string): Promise<readonly Recorded[]> {
  const said = await engine.say({ session, text, from: 'person' })
  if (!said.ok) throw new Error(said.fault.message)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > said.value.seq)
  return eventsOf(engine, session)
}

export async function eventsOf(engine: Engine, session: SessionId): Promise<readonly Recorded[]> {
  const read = await engine.read(session)
  if (!read.ok) throw new Error(read.fault.message)
  return read.value
}

/** Follows a session from its beginning until a signal fits, and gives back all signals up to it. */
export async function until(engine: Engine, session: SessionId, fits: (signal: Signal) => boolean): Promise<readonly Signal[]> {
  const controller = new AbortController()
  const signals: Signal[] = []
  for await (const signal of engine.follow(session, 0, controller.signal)) {
    signals.push(signal)
    if (fits(signal)) break
  }
  controller.abort()
  return signals
}

export const isEvent = <Type extends Recorded['type']>(
  signal: Signal,
  type: Type,
): signal is { readonly type: 'event'; readonly event: Extract<Recorded, { type: Type }> } =>
  signal.type === 'event' && signal.event.type === type

/** The last event of a type. */
export function last<Type extends Recorded['type']>(events: readonly Recorded[], type: Type): Extract<Recorded, { type: Type }> {
  const found = events.findLast((event): event is Extract<Recorded, { type: Type }> => event.type === type)
  if (found === undefined) throw new Error(`there is no ${type} among ${events.map(event => event.type).join(', ')}`)
  return found
}

/** A promise and the hands that settle it. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const passed = new Promise<void>(resolve => {
    open = resolve
  })
  return { passed, open }
}

/** Ids that count from one, for each kind. */
export function counting(): Mint {
  const counts = new Map<string, number>()
  return kind => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `${kind}_${counts.get(kind)}` as ReturnType<Mint> as never
  }
}
