/** Tells whether something that was said is in a request, and why or why not. */
import { isExcluding, type Mark } from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import type { PlanItem } from '../../model/plan.ts'
import type { InLine, InReason, OutLine, OutReason, Receipt } from '../../model/receipt.ts'
import { isHouseVoice, SYNTHESIS } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'

/** Something that was said, with the facts that decide which requests include it. */
export type Subject = {
  readonly seq: number
  readonly kind: 'heard' | 'said' | 'result' | 'summary'
  /** The message it is or belongs to, as a person counts them. */
  readonly key: string
  /** The seqs of that message: its own, or those of all replies of its turn. An excerpt is named by one of them. */
  readonly message: readonly number[]
  /** Whose words these are, and in which turn; not there for what was heard. */
  readonly voice?: VoiceId
  readonly turn?: TurnId
  /** The seq of the message that its turn answers. */
  readonly cause?: number
  /** Heard by these alone. */
  readonly to?: readonly VoiceId[]
  /** It was cut off, so that it may count as failed. */
  readonly isBroken: boolean
  /** There are no words in it. */
  readonly isBlank: boolean
  /** It has words and its turn did not fail, so other voices may be sent a quote. */
  readonly isQuotable: boolean
  /** What people marked its message with, oldest first. */
  readonly marks: readonly { readonly seq: number; readonly target: number; readonly mark: Mark | null }[]
}

/** Whether a request includes the subject, and why. */
export type Presence = {
  readonly in: boolean
  /** Its message is there as an excerpt. */
  readonly part?: true
  readonly reason: InReason | OutReason
}

/**
 * Whether a request included something, from its receipt alone. Lines reach from their first item to their last, so what is
 * between may be something else: lines that cannot mean the subject are put aside, and where both kinds are left the receipt
 * does not say, and the request has to be built again (`presenceAmong`).
 */
export function presenceIn(receipt: Receipt, subject: Subject, view: Policy['view']): Presence | 'unclear' {
  if (isBroughtTogether(receipt, subject)) return { in: true, reason: 'reference.last-round' }
  if (isHiddenStep(receipt, subject)) return { in: false, reason: 'out.budget' }
  const lines = receipt.in.filter(line => !isElsewhere(line, receipt))
  const ins = lines.filter(line => covers(line, subject) && mayHold(line, receipt, subject, view))
  const outs = receipt.out.filter(line => covers(line, subject) && mayLeave(line, receipt, subject, view))
  const [first] = ins
  if (first === undefined) return { in: false, reason: whyOut(outs, receipt) }
  // Nothing takes out what a person pinned, nor the running turn.
  const certain = ins.find(line => line.reason === 'pin.person') ?? first
  if (outs.length === 0 || certain.reason === 'pin.person') return present(certain, receipt, subject)
  return 'unclear'
}

/** The same from the request itself, item by item. */
export function presenceAmong(items: readonly PlanItem[], receipt: Receipt, subject: Subject): Presence {
  const holds = items.find(
    item =>
      !isElsewhere(item, receipt) &&
      covers(item, subject) &&
      (item.keys.includes(subject.key) ||
        (item.kind === 'summary' && subject.kind === 'summary') ||
        (item.kind === 'reference' && isForOthers(receipt, subject))),
  )
  if (holds !== undefined) return present(holds, receipt, subject)
  if (isHiddenStep(receipt, subject)) return { in: false, reason: 'out.budget' }
  const outs = receipt.out.filter(line => covers(line, subject) && line.reason !== 'out.thinking')
  return { in: false, reason: whyOut(outs, receipt) }
}

/** The line is about a message of another chat, whose seqs mean nothing here. */
const isElsewhere = ({ kind, session }: Pick<InLine, 'kind' | 'session'>, { window: { recalled = [] } }: Receipt): boolean =>
  session !== undefined && (kind !== 'recall' || recalled.some(({ chat }) => chat?.session === session))

/** In the request; in part where that has an excerpt of its message, or of the result that it is. */
function present({ kind, reason }: Pick<InLine, 'kind' | 'reason'>, receipt: Receipt, subject: Subject): Presence {
  const results = receipt.window.results ?? []
  const isInPart = results.some(({ seq }) => seq === subject.seq) || (kind !== 'current' && isExcerpt(receipt, subject))
  return { in: true, ...(isInPart && kind !== 'reference' ? { part: true } : {}), reason }
}

const isExcerpt = ({ window: { excerpts = [] } }: Receipt, { message }: Subject): boolean =>
  excerpts.some(({ seq }) => message.includes(seq))

/** The oldest steps of a turn that has grown too long are not shown. */
const isHiddenStep = ({ window: { hidden = [] } }: Receipt, subject: Subject): boolean =>
  isVoiced(subject) && hidden.some(({ from, through }) => from <= subject.seq && subject.seq <= through)

const covers = ({ from, to = from }: Pick<OutLine, 'from' | 'to'>, { seq }: Subject): boolean =>
  from !== undefined && to !== undefined && from <= seq && seq <= to

/** Words of another voice, be it a council's or another agent's. */
const isOthers = ({ voice }: Receipt, subject: Subject): boolean => isVoiced(subject) && subject.voice !== voice

const isVoiced = ({ kind }: Subject): boolean => kind === 'said' || kind === 'result'

const isForOthers = (receipt: Receipt, subject: Subject): boolean =>
  isOthers(receipt, subject) && subject.isQuotable && !isHouseVoice(subject.voice ?? '')

/** A synthesis gets the answers of its round in one text, which does not name their seqs. */
function isBroughtTogether(receipt: Receipt, subject: Subject): boolean {
  const { voice, inputs, in: lines } = receipt
  if (voice !== SYNTHESIS || subject.cause !== inputs.cause || !isForOthers(receipt, subject)) return false
  return lines.some(({ kind }) => kind === 'reference') && !isMarked(subject, isExcluding, receipt)
}

/** The first version of the assembly that chooses folds. */
const FOLDS_SINCE = 5

function mayHold({ kind, reason }: InLine, receipt: Receipt, subject: Subject, view: Policy['view']): boolean {
  const { cause, turn } = receipt.inputs
  if (kind === 'reference') return isForOthers(receipt, subject)
  // From the fifth version on, summaries are at the front alone.
  const mayBeWithin = reason === 'recent.window' && (receipt.inputs.assembly ?? 1) < FOLDS_SINCE
  if (reason === 'summary.folded' || subject.kind === 'summary')
    return mayBeWithin || (reason === 'summary.folded' && subject.kind === 'summary')
  if (isVoiced(subject) && subject.turn === turn) return kind === 'current'
  if (isHouseVoice(subject.voice ?? '') || (view === 'own' && isOthers(receipt, subject))) return false
  if (kind === 'current') return isVoiced(subject) || subject.seq >= cause
  if (reason !== 'pin.person' && (reason === 'recent.excerpt') !== isExcerpt(receipt, subject)) return false
  return reason !== 'pin.person' || isMarked(subject, mark => mark === 'pin', receipt)
}

function mayLeave({ reason }: OutLine, receipt: Receipt, subject: Subject, view: Policy['view']): boolean {
  const { cause, turn } = receipt.inputs
  switch (reason) {
    case 'out.thinking':
      // The words around it stay.
      return false
    case 'out.excluded':
      return isMarked(subject, isExcluding, receipt) && subject.turn !== turn && subject.seq !== cause
    case 'out.other-voice':
      if (subject.kind === 'summary') return false
      if (isVoiced(subject)) return isHouseVoice(subject.voice ?? '') || (view === 'own' && isOthers(receipt, subject))
      return subject.to !== undefined || isHouseVoice(receipt.voice) || subject.seq > cause
    case 'out.failed-turn':
      return subject.isBroken
    case 'out.malformed':
      return subject.isBlank || subject.kind === 'result'
    case 'out.duplicate':
      return subject.kind === 'result'
    default:
      // Nothing of the running turn gives way.
      return !(isVoiced(subject) && subject.turn === turn) && subject.seq !== cause
  }
}

/** A mark on any part of a message counts for the whole message, as of the turn's start. */
function isMarked({ marks }: Subject, isWanted: (mark: Mark | null) => boolean, { inputs: { marksThrough } }: Receipt): boolean {
  const last = new Map<number, Mark | null>()
  for (const { seq, target, mark } of marks) if (seq <= marksThrough) last.set(target, mark)
  return [...last.values()].some(isWanted)
}

/** If several reasons are possible, the first in this list counts: reasons about one message come before those about a stretch. */
const BY_WEIGHT: readonly OutReason[] = [
  'out.excluded',
  'out.failed-turn',
  'out.duplicate',
  'out.malformed',
  'out.other-voice',
  'out.folded',
  'out.store-unavailable',
  'out.budget',
  'out.window',
]

function whyOut(outs: readonly OutLine[], { degraded }: Receipt): OutReason {
  const reasons = new Set(outs.map(({ reason }) => reason))
  return BY_WEIGHT.find(reason => reasons.has(reason)) ?? (degraded === null ? 'out.window' : 'out.store-unavailable')
}
