import type { EndReason, Event, Part } from '../model/event.ts'
import type { TurnId } from '../model/ids.ts'
import type { Material } from '../model/plan.ts'
import type { OutReason } from '../model/receipt.ts'
import type { Answer, Beat, Draft, LeftOut, Said } from './draft.ts'
import { resultText } from './result-text.ts'

type Reply = Extract<Event, { type: 'reply.finished' | 'reply.broken' }>
type OpenSaid = Omit<Said, 'answers' | 'to' | 'tokens'> & { to: number; tokens: number; answers: Answer[]; waiting: Set<string> }

/** Events become beats, in the order of the log; what cannot become one is written down. */
export function project(material: Material): Draft {
  const beats: (Beat | OpenSaid)[] = []
  const left: LeftOut[] = unread(material)
  const ends = endings(material)
  const replies = new Map<TurnId, OpenSaid[]>()
  const partial = new Set<TurnId>()

  const leave = (seq: number, turn: TurnId | undefined, reason: OutReason): void => {
    left.push({ from: seq, to: seq, messages: [turn === undefined ? `heard ${seq}` : `turn ${turn}`], reason })
  }

  const say = (reply: Reply, parts: readonly Part[]): void => {
    const said = openSaid(reply, parts)
    replies.set(reply.turn, [...(replies.get(reply.turn) ?? []), said])
    beats.push(said)
  }

  for (const event of material.events) {
    // A turn whose first step was not read is already counted among the unread, and stays out whole.
    if (isLaterStep(event) && material.unread !== null && !replies.has(event.turn)) partial.add(event.turn)
    if ('turn' in event && partial.has(event.turn)) {
      if (event.type === 'reply.finished' || event.type === 'reply.broken' || event.type === 'tool.settled') {
        left.push({ from: event.seq, to: event.seq, messages: [], reason: 'out.window' })
      }
      continue
    }
    switch (event.type) {
      case 'message.received':
        beats.push({ kind: 'heard', seq: event.seq, text: event.text, tokens: event.tokens })
        break
      case 'reply.finished':
        if (event.parts.some(part => part.type === 'think')) leave(event.seq, event.turn, 'out.thinking')
        say(event, event.parts)
        break
      case 'reply.broken': {
        if (event.parts.length === 0) break
        if (event.parts.some(part => part.type === 'think')) leave(event.seq, event.turn, 'out.thinking')
        // A call that was cut off has no whole arguments; the words before it still count if a person stopped them.
        const words = event.parts.filter(part => part.type === 'text')
        if (ends.get(event.turn) === 'cancelled' && words.length > 0) say(event, words)
        else leave(event.seq, event.turn, 'out.failed-turn')
        break
      }
      case 'tool.settled': {
        const own = replies.get(event.turn) ?? []
        const asking = own.findLast(said => said.waiting.has(event.call))
        if (asking === undefined) {
          const answered = own.some(said => said.answers.some(answer => answer.call === event.call))
          leave(event.seq, event.turn, answered ? 'out.duplicate' : 'out.malformed')
          break
        }
        asking.waiting.delete(event.call)
        asking.answers.push({ call: event.call, ok: event.ok, text: resultText(event) })
        asking.tokens += event.tokens
        asking.to = event.seq
        break
      }
      case 'history.folded':
        beats.push({ kind: 'summary', seq: event.seq, through: event.through, text: event.text, tokens: event.tokens })
        break
      case 'damaged':
        leave(event.seq, undefined, 'out.malformed')
        break
      case 'turn.started':
      case 'context.planned':
      case 'tool.started':
      case 'turn.ended':
      case 'session.changed':
        break
      default:
        throw new Error(`unknown ${event satisfies never}`)
    }
  }
  return { beats, left }
}

const isLaterStep = (event: Material['events'][number]): event is Reply =>
  (event.type === 'reply.finished' || event.type === 'reply.broken') && event.step > 1

function openSaid(reply: Reply, parts: readonly Part[]): OpenSaid {
  const kept = parts.filter(part => part.type !== 'think')
  const waiting = new Set(kept.flatMap(part => (part.type === 'call' ? [part.call] : [])))
  return {
    kind: 'said',
    seq: reply.seq,
    to: reply.seq,
    turn: reply.turn,
    parts: kept,
    answers: [],
    waiting,
    tokens: reply.tokens,
  }
}

function endings(material: Material): Map<TurnId, EndReason> {
  const ends = new Map<TurnId, EndReason>()
  for (const event of material.events) if (event.type === 'turn.ended') ends.set(event.turn, event.reason)
  return ends
}

function unread({ unread, degraded }: Material): LeftOut[] {
  if (unread === null || unread.messages === 0) return []
  const reason = degraded === null ? 'out.window' : 'out.store-unavailable'
  return [{ from: 1, to: unread.to, messages: [], unread: unread.messages, reason }]
}
