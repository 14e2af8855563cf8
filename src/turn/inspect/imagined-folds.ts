/** The folds that a session would have had under another policy, made from literal sentences: comparisons ask no model. */
import { requestLimit } from '../../context/bounds.ts'
import { type FoldMessage, foldMessages } from '../../context/fold/fold-messages.ts'
import { coarserDue, foldDue } from '../../context/fold/fold-range.ts'
import { FOLD_PROMPT, foldInstruction } from '../../context/fold/fold-text.ts'
import { type FoldEvent, foldsThatCount } from '../../context/fold/folds-that-count.ts'
import { beyondWindow } from '../../context/receipt/beyond.ts'
import { settlePolicy } from '../../context/reply-limit.ts'
import { project } from '../../context/stages/project.ts'
import { sanitize } from '../../context/stages/sanitize.ts'
import type { Measure } from '../../context/text/tokens.ts'
import { unitSeq, unitsOf } from '../../context/window/units.ts'
import type { Unit } from '../../context/window/window-kind.ts'
import type { Event, Recorded } from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import { hasWords, isReply, type SpokenReply } from '../../model/message/spoken.ts'
import type { Material, Plan } from '../../model/plan.ts'
import type { Gap, InLine } from '../../model/receipt.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import { extractedFold } from '../memory/fold-text.ts'
import { planAfter } from '../memory/request-after.ts'

/** What a request of the comparison was built from, and what it became. */
export type SentRequest = { readonly material: Material; readonly plan: Plan }

/** A fold that would have been made. */
export type ImaginedFold = {
  readonly fold: FoldEvent
  /** What its model would have been sent: the last request and more; null where the stretch goes as one text, or no model is asked. */
  readonly after: Plan | null
  /** The text that would have been sent otherwise; null where no model is asked. */
  readonly alone: string | null
}

/** Folds of one session under one policy, as time goes by. */
export type ImaginedFolds = {
  /** The material as it would be: with these folds, and with what replies needed of what was sent under this policy. */
  readonly imagine: (material: Material) => Material
  /** A reply came to a request. */
  readonly replied: (sent: SentRequest, reply: SpokenReply) => void
  /** A turn is over, and `sent` was its last request. Makes what is due. */
  readonly turnOver: (sent: SentRequest, through: number) => Promise<readonly ImaginedFold[]>
}

/** Starts without folds. `events` are all of the session, also those that are still to come; they are in order, and a seq may be missing. */
export function imagineFolds(policy: Policy, events: readonly Recorded[], measure: Measure): ImaginedFolds {
  const setting = policy.render === 'transcript' ? null : (policy.fold ?? null)
  const isFollowed = policy.window.kind === 'tokens' && policy.window.follow === true
  const folds: FoldEvent[] = []
  const beyond = new Map<number, number>()
  let replies = new Map<VoiceId, SpokenReply>()

  const unitsIn = (voice: VoiceId, from: number, through: number): readonly Unit[] =>
    unitsOf(beatsOf(events, { voice, from, through }, policy, measure)).filter(unit => unitSeq(unit) >= from)

  const made = async (
    { from, to, tokens, replaces }: Pick<FoldEvent, 'from' | 'to' | 'tokens' | 'replaces'>,
    { material, units, through }: { material: Material; units: readonly Unit[]; through: number },
  ): Promise<{ fold: FoldEvent; stretch: readonly FoldMessage[] } | undefined> => {
    const own = units.filter(unit => unitSeq(unit) >= from && unitSeq(unit) <= to)
    const names = { voices: material.voices }
    const stretch = foldMessages(own, names)
    const later = foldMessages(
      units.filter(unit => unitSeq(unit) > to),
      names,
    )
    const folded = tokensIn(own)
    const { text } = await extractedFold({ stretch, later, tokens: folded }, tokens, measure)
    if (text === '') return undefined
    const fold: FoldEvent = {
      ...{ type: 'history.folded', session: material.session, at: material.events.at(-1)?.at ?? '', tokens: measure.count(text) },
      // Between the events of the log: no event has such a seq, and it is newer than all that the fold stands for.
      ...{ seq: through + (folds.length + 1) / 1_000_000, from, to, text, by: 'extract', messages: stretch.length, folded },
      ...(policy.view === 'own' ? { voice: material.voice } : {}),
      ...(replaces === undefined ? {} : { replaces }),
    }
    folds.push(fold)
    return { fold, stretch }
  }

  return {
    imagine: material => ({
      ...material,
      ...(isFollowed ? { events: material.events.map(event => withBeyond(event, beyond)) } : {}),
      ...(setting === null
        ? {}
        : { folds: folds.filter(({ seq }) => seq <= material.through), gaps: splitGaps(material.gaps, folds, events) }),
    }),
    replied: ({ material, plan }, reply) => {
      replies = new Map(replies).set(material.voice, reply)
      if (isFollowed) beyond.set(reply.seq, beyondWindow(plan, reply.parts))
    },
    turnOver: async ({ material, plan }, through) => {
      if (setting === null) return []
      const { voice } = material
      const window = plan.receipt.window
      const counting = foldsThatCount(folds, voice, policy.view)
      const { bounds, room } = boundsOfRequest({ material, plan }, policy)
      if (bounds === undefined) return []
      const found: ImaginedFold[] = []
      const units = unitsIn(voice, window.begins ?? 1, through)
      const { factor } = material.model
      const due = foldDue({ units, last: window, bounds, room, before: beforeWindow(plan), factor, setting, folds: counting })
      const fresh = due === undefined ? undefined : await made(due, { material, units, through })
      const isByModel = setting.by !== 'extract'
      if (fresh !== undefined) {
        const reply = replies.get(voice)
        const isShown = window.narrowed !== true && plan.receipt.degraded === null && hasEnded(reply)
        const instruction = instructionFor(fresh.stretch, fresh.fold.tokens)
        const after = isByModel && isShown ? planAfter(plan, reply, instruction, measure) : null
        found.push({ fold: fresh.fold, after, alone: isByModel && after === null ? alone(fresh.stretch) : null })
      }
      // One at a time, as turns end.
      const coarser = due === undefined ? coarserDue(counting, setting, room / factor) : undefined
      if (coarser === undefined) return found
      const wide = await made(coarser, { material, units: unitsIn(voice, coarser.from, through), through })
      if (wide !== undefined)
        found.push({ fold: wide.fold, after: null, alone: setting.by === 'model' ? alone(wide.stretch) : null })
      return found
    },
  }
}

const hasEnded = (reply: SpokenReply | undefined): reply is Extract<Event, { type: 'reply.finished' }> =>
  reply?.type === 'reply.finished' && hasWords(reply) && !reply.parts.some(({ type }) => type === 'call')

function instructionFor(stretch: readonly FoldMessage[], tokens: number): string {
  const [first, last] = [stretch[0] ?? { words: '' }, stretch.at(-1) ?? { words: '' }]
  return foldInstruction({ first, last, messages: stretch.length, tokens })
}

const alone = (stretch: readonly FoldMessage[]): string =>
  [
    FOLD_PROMPT,
    ...stretch.map(({ speaker, words, material }) => `${speaker}: ${[words, ...material.map(({ text }) => text)].join('\n')}`),
  ].join('\n\n')

/** The beats of a stretch as a voice sees it, as if a next turn were about to begin. */
function beatsOf(
  events: readonly Recorded[],
  { voice, from, through }: { readonly voice: VoiceId; readonly from: number; readonly through: number },
  { view }: Pick<Policy, 'view'>,
  measure: Measure,
): Parameters<typeof unitsOf>[0] {
  const own = events.filter(({ seq, type }) => seq <= through && (seq >= from || type === 'message.marked'))
  const material: Material = {
    ...{ session: '' as Material['session'], voice, thinking: false },
    model: { name: '', window: 0, factor: 1, abilities: { images: true, files: true, cacheMinimum: 0 } },
    turn: { id: '' as TurnId, step: 1, cause: through + 1, ordinal: 1 },
    ...{ through, events: own, gaps: [], begins: null, marksThrough: through, voices: {} },
    ...{ system: [], tools: [], asides: [], degraded: null },
  }
  const { beats } = sanitize(project(material, { view, thinking: 'never', stamps: false }, measure))
  return beats.filter(({ kind }) => kind !== 'summary')
}

const tokensIn = (units: readonly Unit[]): number =>
  units.flatMap(({ beats }) => beats).reduce((sum, { tokens }) => sum + tokens, 0)

/** How far the window of a request may grow, and what it has for the past. */
function boundsOfRequest(
  { material, plan }: SentRequest,
  policy: Policy,
): { readonly bounds: { readonly high: number; readonly low: number } | undefined; readonly room: number } {
  const settled = settlePolicy(policy, material)
  const limit = requestLimit(settled, material.model.window)
  const fixed = tokensOf(plan.receipt.in, ({ kind }) => kind === 'system' || kind === 'tools')
  const room = Math.max(0, limit - fixed)
  const plain = settled.window.grows?.({ limit, fixed })
  if (plain === undefined) return { bounds: undefined, room }
  const high = Math.min(plain.high * (plan.receipt.window.follow?.times ?? 1), Math.max(plain.high, room))
  return { bounds: { high, low: (plain.low * high) / Math.max(1, plain.high) }, room }
}

/** What folds, pins and the note take before the window. */
const beforeWindow = ({ receipt: { in: lines, window } }: Plan): number =>
  tokensOf(lines, ({ reason, from = 0 }) => FRONT.has(reason) || (reason === 'pin.person' && from < (window.begins ?? 0)))

const FRONT: ReadonlySet<InLine['reason']> = new Set(['summary.folded', 'note.omitted'])

const tokensOf = (lines: readonly InLine[], isMeant: (line: InLine) => boolean): number =>
  lines.reduce((sum, line) => sum + (isMeant(line) ? line.tokens : 0), 0)

const withBeyond = (event: Recorded, beyond: ReadonlyMap<number, number>): Recorded => {
  if (event.type !== 'reply.finished') return event
  const { beyond: _, ...reply } = event
  const many = beyond.get(event.seq) ?? 0
  return many === 0 ? reply : { ...reply, beyond: many }
}

/** Gaps end where folds do, as those of the log do for its own folds. */
function splitGaps(gaps: readonly Gap[], folds: readonly FoldEvent[], events: readonly Recorded[]): readonly Gap[] {
  const beginnings = [...new Set(folds.flatMap(({ from, to }) => [from, to + 1]))].sort((a, b) => a - b)
  return gaps.flatMap(gap => {
    const inside = beginnings.filter(seq => seq > gap.from && seq <= gap.to)
    if (inside.length === 0) return [gap]
    const starts = [gap.from, ...inside]
    const parts = starts.map((from, index) => ({ from, to: (inside[index] ?? gap.to + 1) - 1 }))
    const counts = parts.map(part => messagesIn(events, part))
    const all = counts.reduce((sum, many) => sum + many, 0)
    const share = (of: number, many: number): number => (all === 0 ? 0 : Math.round((of * many) / all))
    return parts.map((part, index): Gap => {
      const many = counts[index] ?? 0
      const hearable = gap.hearable === undefined ? {} : { hearable: share(gap.hearable, many) }
      return { ...part, messages: share(gap.messages, many), ...hearable }
    })
  })
}

/** Messages that begin in a stretch, as a person counts them. */
function messagesIn(events: readonly Recorded[], { from, to }: { readonly from: number; readonly to: number }): number {
  const begun = new Set<TurnId>()
  let many = 0
  for (const event of events) {
    if (event.seq > to) break
    if (isReply(event) && !begun.has(event.turn)) {
      begun.add(event.turn)
      if (event.seq >= from) many += 1
    }
    if (event.type === 'message.received' && event.seq >= from) many += 1
  }
  return many
}
