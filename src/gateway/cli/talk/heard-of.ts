// Filters a session's signals to those of some turns.
import type { Signal } from '../../../engine.ts'
import type { TurnId } from '../../../model/ids.ts'

/** Picks the signals of the given turns from everything in a session, until the last of them has ended. */
export async function* signalsOfTurns(turns: readonly TurnId[], signals: AsyncIterable<Signal>): AsyncGenerator<Signal> {
  const open = new Set(turns)
  for await (const signal of signals) {
    if (signal.type === 'fault') return yield signal
    if (!belongs(signal, open)) continue
    yield signal
    if (signal.type === 'event' && signal.event.type === 'turn.ended') open.delete(signal.event.turn)
    if (open.size === 0) return
  }
}

function belongs(signal: Signal, open: ReadonlySet<TurnId>): boolean {
  if (signal.type === 'delta') return open.has(signal.delta.turn)
  if (signal.type === 'notice') return signal.notice.turn === undefined || open.has(signal.notice.turn)
  return signal.type === 'event' && 'turn' in signal.event && open.has(signal.event.turn)
}
