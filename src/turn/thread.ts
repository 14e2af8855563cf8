import type { Signal } from '../log/follow.ts'
import type { TurnId } from '../model/ids.ts'

/** Which signals belong to one message, and when its answer is complete. */
export type Thread = { readonly belongs: (signal: Signal) => boolean; readonly over: () => boolean }

/** Fed with every signal from the message on: its own event, and each turn that it caused or that heard it. */
export function threadOf(message: number): Thread {
  const open = new Set<TurnId>()
  let answered = false
  const belongs = (signal: Signal): boolean => {
    if (signal.type === 'delta') return open.has(signal.delta.turn)
    if (signal.type === 'notice') return signal.notice.turn === undefined || open.has(signal.notice.turn)
    if (signal.type !== 'event') return true
    const { event } = signal
    switch (event.type) {
      case 'message.received':
        return event.seq === message
      case 'turn.started':
        if (event.cause === message) open.add(event.turn)
        return open.has(event.turn)
      case 'context.planned':
        if (event.receipt.through >= message && event.receipt.degraded === null) open.add(event.turn)
        return open.has(event.turn)
      case 'turn.ended':
        if (!open.delete(event.turn)) return false
        answered = true
        return true
      case 'reply.finished':
      case 'reply.broken':
      case 'tool.started':
      case 'tool.settled':
      case 'approval.asked':
      case 'approval.answered':
        return open.has(event.turn)
      case 'history.folded':
      case 'message.marked':
      case 'session.changed':
      case 'damaged':
        return false
    }
  }
  return { belongs, over: () => answered && open.size === 0 }
}
