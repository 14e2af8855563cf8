/** Events of the log become beats: what was heard, and each reply with its results, joined where it was cut. */
import {
  type Attachment,
  type EndReason,
  type Event,
  isExcluding,
  type Mark,
  type Part,
  type Recorded,
} from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import { type Audience, audienceOf, isSameAudience } from '../../model/message/audience.ts'
import { isCutAtLimit, isReply, type SpokenReply } from '../../model/message/spoken.ts'
import type { Material } from '../../model/plan.ts'
import type { OutReason } from '../../model/receipt.ts'
import { isHouseVoice, isInternalVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { type CutStep, cutStepOf, goesOn, joinTouching } from '../../model/turn-view/join-cuts.ts'
import { firstTurns } from '../../model/turn-view/turn-view.ts'
import type { VoiceId } from '../../model/voice.ts'
import { seenResult, unseenRelief } from '../text/attachments.ts'
import { unweighedIn, withoutExtra } from '../text/own-turn-parts.ts'
import { resultText } from '../text/result-text.ts'
import type { Measure } from '../text/tokens.ts'
import {
  type Beat,
  type CallAnswer,
  type Draft,
  isCall,
  type LeftOut,
  leftOut,
  messageOf,
  orderOf,
  type SaidBeat,
  seqsOf,
} from './draft.ts'
import { remembered } from './reuse-beats.ts'

/** What of a policy decides how events become beats. */
type Seeing = Pick<Policy, 'view' | 'thinking' | 'stamps'>

type Received = Extract<Event, { type: 'message.received' }>
type OpenSaid = Omit<SaidBeat, 'answers' | 'to' | 'tokens' | 'parts' | 'isBroken' | 'replies'> & {
  to: number
  tokens: number
  parts: readonly Part[]
  answers: CallAnswer[]
  waiting: Set<string>
  isBroken: boolean
  replies?: readonly number[]
  /** The last of its replies, which another may go on with. */
  last: CutStep
}

/** What a stamp adds to a message: every minute has as many tokens as this one, near enough. */
const A_STAMP = '[2026-01-01T12:00] '

/** Events become beats, in the order of the log; what cannot become one, or may not be seen, is written down. */
export function project(material: Material, policy: Seeing, measure: Measure): Draft {
  const made: { readonly event: Recorded; readonly beat: Beat }[] = []
  const left: LeftOut[] = []
  const known = glance(material)
  const audience = audienceOf(material.events, material.turn.cause)
  const replies = new Map<TurnId, OpenSaid[]>()
  const partial = new Set<TurnId>()
  /** Turns whose first step was read, sent or not. */
  const begun = new Set([material.turn.id])
  const stampTokens = policy.stamps ? measure.count(A_STAMP) : 0

  /** The first turn of an answer that several turns gave. */
  const rootOf = (turn: TurnId): TurnId => known.roots.get(turn) ?? turn
  /** It reached its limit, and a later turn goes on with its text. */
  const isContinued = (reply: SpokenReply): boolean =>
    reply.type === 'reply.finished' &&
    isCutAtLimit(reply) &&
    known.lastReplies.get(reply.turn) === reply.seq &&
    known.continued.has(reply.turn)

  const leave = (seq: number, turn: TurnId | undefined, reason: OutReason): void => {
    left.push({ from: seq, to: seq, messages: [turn === undefined ? `heard ${seq}` : `turn ${rootOf(turn)}`], reason })
  }

  const hear = (event: Received, attachments: readonly Attachment[]): void => {
    const { seq, at, text, tokens } = event
    const relief = unseenRelief(attachments, material.model.abilities, measure)
    const weight = tokens + stampTokens - relief
    const message = `heard ${seq}`
    made.push({ event, beat: { kind: 'heard', message, seq, text: stamped({ at, text }, policy), attachments, tokens: weight } })
  }

  const say = (reply: SpokenReply, parts: readonly Part[], isBroken = false): void => {
    const isRunning = reply.turn === material.turn.id
    const keepsThinking = policy.thinking === 'current' && isRunning
    const losesThinking = !keepsThinking && parts.some(part => part.type === 'think')
    if (losesThinking) leave(reply.seq, reply.turn, 'out.thinking')
    const spoken = losesThinking ? parts.filter(part => part.type !== 'think') : parts
    const said = openSaid(
      reply,
      known.answering.has(reply.turn) ? spoken : withoutExtra(spoken),
      known.voices.get(reply.turn),
      measure,
      isBroken,
      `turn ${rootOf(reply.turn)}`,
    )
    const before = replies.get(rootOf(reply.turn)) ?? []
    const cutOff = before.at(-1)
    if (cutOff !== undefined && goesOn(cutOff.last, reply)) goOn(cutOff, said)
    else {
      replies.set(rootOf(reply.turn), [...before, said])
      made.push({ event: reply, beat: said })
    }
  }

  for (const event of material.events) {
    // A turn whose first step was not read is already counted among what was not, and stays out whole.
    if (isReply(event) && event.step === 1) begun.add(event.turn)
    if (event.type === 'turn.started' && event.continues === true && begun.has(rootOf(event.turn))) begun.add(event.turn)
    if (isReply(event) && event.step > 1 && material.gaps.length > 0 && !begun.has(event.turn)) partial.add(event.turn)
    if ('turn' in event && partial.has(event.turn)) {
      if (isSpoken(event)) left.push({ from: event.seq, to: event.seq, messages: [], reason: 'out.window' })
      continue
    }
    switch (event.type) {
      case 'message.received':
        if (isHeard(event, material, audience)) hear(event, event.parts ?? [])
        else leave(event.seq, undefined, 'out.other-voice')
        break
      case 'reply.finished':
        say(event, event.parts, isContinued(event))
        break
      case 'reply.broken': {
        if (event.parts.length === 0) break
        // A call that was cut off has no whole arguments; the words before it still count if a person stopped them.
        const words = event.parts.filter(part => part.type === 'text')
        // What was gone on with is one answer with what came after.
        const isGoneOnWith = event.turn === material.turn.id || (known.lastReplies.get(event.turn) ?? 0) > event.seq
        const spoken = event.parts.filter(part => !isCall(part))
        if (isGoneOnWith && spoken.length > 0) {
          say(event, spoken, true)
          break
        }
        if (known.ends.get(event.turn) === 'cancelled' && !known.resumed.has(event.turn) && words.length > 0) {
          if (words.length < event.parts.length && event.parts.some(part => part.type === 'think'))
            leave(event.seq, event.turn, 'out.thinking')
          say(event, words, true)
        } else leave(event.seq, event.turn, 'out.failed-turn')
        break
      }
      case 'tool.settled': {
        const own = replies.get(rootOf(event.turn)) ?? []
        const asking = own.findLast(said => said.waiting.has(event.call))
        if (asking === undefined) {
          const answered = own.some(said => said.answers.some(answer => answer.call === event.call))
          leave(event.seq, event.turn, answered ? 'out.duplicate' : 'out.malformed')
          break
        }
        const seen = seenResult(event, material.model.abilities)
        asking.waiting.delete(event.call)
        asking.answers.push({ call: event.call, ok: event.ok, text: resultText(event), seq: event.seq, ...seen })
        asking.tokens += seen.tokens
        asking.to = event.seq
        break
      }
      case 'history.folded':
        made.push({
          event,
          beat: {
            kind: 'summary',
            message: `summary ${event.seq}`,
            seq: event.seq,
            through: event.to,
            text: event.text,
            tokens: event.tokens,
          },
        })
        break
      case 'damaged':
        leave(event.seq, undefined, 'out.malformed')
        break
      case 'turn.started':
      case 'context.planned':
      case 'tool.started':
      case 'approval.asked':
      case 'approval.answered':
      case 'turn.ended':
      case 'message.marked':
      case 'session.changed':
        break
      default:
        throw new Error(`unknown ${event satisfies never}`)
    }
  }
  const beats = inPlace(made, material, policy).map(({ event, beat }) => remembered(event, beat))
  return seenBy(material, policy, { beats, others: [], left }, known.marks)
}

type Made = { readonly event: Recorded; readonly beat: Beat }

/**
 * A message that came during a reply, and was not in its request, is placed after that reply. Otherwise the next request would
 * not begin with this one.
 */
function inPlace(made: readonly Made[], { voice, turn }: Material, { view }: Seeing): readonly Made[] {
  const deaf = made.flatMap(({ event, beat }) => {
    if (!isReply(event) || event.through === undefined || beat.kind !== 'said') return []
    const isMine = view === 'all' || beat.voice === voice
    // One that was gone on with heard it there, as the last thing before its own words.
    const isWhole = event.type === 'reply.finished' || (beat.to === event.seq && beat.turn !== turn.id)
    return isMine && isWhole ? [{ through: event.through, seq: event.seq, missed: event.missed ?? [], at: beat.seq }] : []
  })
  if (deaf.length === 0) return made
  return made
    .map(({ event, beat }) => {
      if (beat.kind !== 'heard') return { event, beat }
      const isMissed = ({ through, seq, missed }: (typeof deaf)[number]): boolean =>
        (through < beat.seq && beat.seq < seq) || missed.includes(beat.seq)
      const reply = deaf.findLast(isMissed)
      return reply === undefined ? { event, beat } : { event, beat: { ...beat, after: reply.at } }
    })
    .sort((a, b) => orderOf(a.beat) - orderOf(b.beat))
}

/** Takes out what a person excluded, and sets apart what other voices said. */
function seenBy(material: Material, policy: Seeing, draft: Draft, marks: ReadonlyMap<number, Mark>): Draft {
  const excluded = new Set(draft.beats.filter(beat => seqsOf(beat).some(seq => isExcluding(marks.get(seq)))).map(messageOf))
  const isExcluded = (beat: Beat): boolean => excluded.size > 0 && excluded.has(messageOf(beat)) && !isOwnTurn(beat, material)
  // A voice's own words are only those known to be its own. No voice hears the house's words, not even the house itself later.
  const isOther = (beat: Beat): beat is SaidBeat =>
    beat.kind === 'said' &&
    beat.turn !== material.turn.id &&
    (isHouseVoice(beat.voice ?? '') || (policy.view === 'own' && beat.voice !== material.voice))
  const left = [...draft.left, ...draft.beats.filter(isExcluded).map(beat => leftOut(beat, 'out.excluded'))]
  const seen = draft.beats.filter(beat => !isExcluded(beat))
  return { beats: seen.filter(beat => !isOther(beat)), others: seen.filter(isOther), left }
}

/** A voice hears what is said to all or to itself. The house hears only what it is asked about, and for a title or a fold not the message itself. */
const isHeard = ({ seq, to }: Received, { voice, turn }: Material, audience: Audience): boolean => {
  if (isHouseVoice(voice)) return seq === turn.cause && !isInternalVoice(voice)
  if (to !== undefined && !to.includes(voice)) return false
  // A later message to another audience gets a turn of its own: one answer to both would reach voices that must not hear it.
  return seq <= turn.cause || isSameAudience(to, audience)
}

const isOwnTurn = (beat: Beat, { turn }: Material): boolean =>
  beat.kind === 'said' ? beat.turn === turn.id : beat.seq >= turn.cause

/** Which messages a person pinned, as of the turn's start. */
export const pinsOf = (material: Material): ReadonlySet<number> =>
  new Set([...glance(material).marks].flatMap(([target, mark]) => (mark === 'pin' ? [target] : [])))

/** What has to be known of a turn or message before its own events are reached. */
function glance(material: Material): {
  ends: Map<TurnId, EndReason>
  voices: Map<TurnId, VoiceId>
  /** Turns that were gone on with in another one. */
  resumed: Set<TurnId>
  /** The running turn, and those that it goes on with: for their server it is one turn. */
  answering: Set<TurnId>
  /** Turns whose text another one goes on with. */
  continued: Set<TurnId>
  /** The first turn of an answer that several turns gave, for each of the later ones. */
  roots: ReadonlyMap<TurnId, TurnId>
  /** Where each turn was last heard to the end of a reply. */
  lastReplies: Map<TurnId, number>
  marks: Map<number, Mark>
} {
  const ends = new Map<TurnId, EndReason>()
  const voices = new Map<TurnId, VoiceId>()
  const resumed = new Set<TurnId>()
  const resumes = new Map<TurnId, TurnId>()
  const continued = new Set<TurnId>()
  const lastReplies = new Map<TurnId, number>()
  const marks = new Map<number, Mark>()
  for (const event of material.events) {
    if (event.type === 'turn.ended') ends.set(event.turn, event.reason)
    if (event.type === 'turn.started') {
      voices.set(event.turn, event.voice)
      if (event.resumes !== undefined) {
        resumed.add(event.resumes)
        resumes.set(event.turn, event.resumes)
        if (event.continues === true) continued.add(event.resumes)
      }
    }
    if (event.type === 'reply.finished') lastReplies.set(event.turn, event.seq)
    if (event.type !== 'message.marked' || event.seq > material.marksThrough) continue
    if (event.mark === null) marks.delete(event.target)
    else marks.set(event.target, event.mark)
  }
  const answering = new Set<TurnId>()
  for (let turn: TurnId | undefined = material.turn.id; turn !== undefined && !answering.has(turn); turn = resumes.get(turn))
    answering.add(turn)
  return { ends, voices, resumed, answering, continued, roots: firstTurns(material.events), lastReplies, marks }
}

const stamped = ({ at, text }: { readonly at: string; readonly text: string }, { stamps }: Seeing): string =>
  stamps ? `[${at.slice(0, 16)}] ${text}` : text

const isSpoken = (event: Recorded): boolean =>
  event.type === 'reply.finished' || event.type === 'reply.broken' || event.type === 'tool.settled'

/** The answer goes on where it was cut off, as if nothing had happened. */
function goOn(cutOff: OpenSaid, said: OpenSaid): void {
  cutOff.parts = joinTouching(cutOff.parts, said.parts)
  cutOff.last = said.last
  cutOff.to = said.to
  cutOff.tokens += said.tokens
  cutOff.isBroken = said.isBroken
  cutOff.replies = [...(cutOff.replies ?? [cutOff.seq]), said.seq]
  for (const call of said.waiting) cutOff.waiting.add(call)
}

function openSaid(
  reply: SpokenReply,
  parts: readonly Part[],
  voice: VoiceId | undefined,
  measure: Measure,
  isBroken: boolean,
  message: string,
): OpenSaid {
  const waiting = new Set(parts.filter(isCall).map(part => part.call))
  const unweighed = parts.reduce((sum, part) => sum + measure.count(unweighedIn(part)), 0)
  const tokens = reply.tokens + unweighed
  const { seq, turn } = reply
  const last = cutStepOf(reply)
  return { kind: 'said', message, seq, to: seq, turn, voice, parts, answers: [], waiting, tokens, isBroken, last }
}
