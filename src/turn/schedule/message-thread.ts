/** Tells which signals of a session belong to one message, and when its answer is complete. */
import type { Signal } from '../../log/follow.ts'
import type { TurnId } from '../../model/ids.ts'
import { type Audience, isSameAudience } from '../../model/message/audience.ts'
import { EXCHANGE, isHouseVoice, isInternalVoice, SYNTHESIS } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { isAnswer } from '../council/round-members.ts'

/** Which signals belong to one message, and when its answer is complete. */
export type Thread = { readonly belongs: (signal: Signal) => boolean; readonly over: () => boolean }

/**
 * Takes every signal from the message on: its own event, and each turn that it caused or that heard it. `head` is how far the
 * log had come when the caller asked, so a turn that was resumed before then still belongs to the answer.
 */
export function threadOf(message: number, head = 0): Thread {
  const open = new Set<TurnId>()
  /** The voices that were asked and have not begun to answer. Null if the message names no voice. */
  let awaited: Set<VoiceId> | null = null
  let ended = false
  let answered = false
  const begins = (turn: TurnId, voice: VoiceId): void => {
    open.add(turn)
    awaited?.delete(voice)
  }
  /** Only the named voices hear a message that names voices, even while other turns run. */
  const isAsked = (voice: VoiceId, asked: ReadonlySet<VoiceId> | null): boolean => asked === null || asked.has(voice)
  let asked: ReadonlySet<VoiceId> | null = null
  let to: Audience
  const own = new Set<TurnId>()
  let cursor = 0

  const belongs = (signal: Signal): boolean => {
    if (signal.type === 'delta') return open.has(signal.delta.turn)
    if (signal.type === 'notice') return signal.notice.turn === undefined || open.has(signal.notice.turn)
    if (signal.type !== 'event') return true
    const { event } = signal
    cursor = event.seq
    switch (event.type) {
      case 'message.received':
        if (event.seq !== message) return false
        to = event.to
        asked = event.voices === undefined ? null : new Set(event.voices)
        awaited = event.voices === undefined ? null : new Set(event.voices.filter(voice => voice !== EXCHANGE))
        return true
      case 'turn.started':
        // A turn for a title or a fold has the message as its cause, but it is not an answer to it.
        if (event.cause === message && !isInternalVoice(event.voice)) {
          begins(event.turn, event.voice)
          own.add(event.turn)
        }
        return open.has(event.turn)
      case 'context.planned': {
        const { through, degraded, voice, inputs } = event.receipt
        const isHeard = through >= message && degraded === null && !isHouseVoice(voice) && isSameAudience(inputs.to, to)
        if (isHeard && isAsked(voice, asked)) begins(event.turn, voice)
        return open.has(event.turn)
      }
      case 'turn.ended':
        if (!open.delete(event.turn)) return false
        ended = true
        // A synthesis is made from the turns that the message caused.
        answered ||= own.has(event.turn) && isAnswer(event.reason)
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
  /** There is no synthesis of a round that has no answers. */
  const isAwaited = (): boolean => [...(awaited ?? [])].some(voice => voice !== SYNTHESIS || answered)
  return { belongs, over: () => ended && cursor >= head && open.size === 0 && !isAwaited() }
}
