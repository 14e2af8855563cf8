/** Finds in the log what is to be folded in a session: ahead of a drop, anew where a message was excluded, or coarser. */
import { requestLimit } from '../../context/bounds.ts'
import { coarserDue, foldDue, foldTokens } from '../../context/fold/fold-range.ts'
import { type FoldEvent, foldsThatCount, type MarkEvent, usableFolds } from '../../context/fold/folds-that-count.ts'
import { settlePolicy } from '../../context/reply-limit.ts'
import type { EventLog, Folded, Planned } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { FoldMaker, FoldRange, FoldSetting } from '../../model/fold.ts'
import type { SessionId } from '../../model/ids.ts'
import type { InLine, Receipt } from '../../model/receipt.ts'
import { mapResult, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { FOLD } from '../../model/settings/council.ts'
import { policyLabel } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import { mostOf } from '../cost/daily-budget.ts'
import type { Model, Services } from '../services.ts'
import { type FoldView, foldViewOf, unitsSince } from './fold-view.ts'

/** A fold that is to be made: its stretch, how, with which model, and the message that its turn names as its cause. */
export type FoldTask = {
  readonly range: FoldRange & { readonly tokens: number }
  readonly by: FoldMaker
  readonly model: string
  readonly cause: number
}

/** All that the log knows of a voice's folds. */
export type FoldRecord = {
  readonly view: FoldView
  /** All folds of the session, oldest first, and those that count for the voice. */
  readonly folds: readonly Folded[]
  readonly counting: readonly FoldEvent[]
  readonly marks: readonly MarkEvent[]
  /** The last request of the voice. */
  readonly planned: Planned | undefined
}

/** Reads what the log knows of a voice's folds; undefined if its policy does not fold. */
export async function foldRecordOf(
  services: Services,
  session: Session,
  voice: VoiceId,
): Promise<Result<FoldRecord | undefined, Fault>> {
  const view = await foldViewOf(services, session, voice)
  if (view === undefined) return ok(undefined)
  const { log } = services
  const [planned, folds, marks] = await Promise.all([
    log.planned(session.id, 1, { voice: view.voice }),
    log.read(session.id, { only: 'history.folded' }),
    log.read(session.id, { only: 'message.marked' }),
  ])
  if (!planned.ok) return planned
  if (!folds.ok) return folds
  if (!marks.ok) return marks
  const all = folds.value.filter((event): event is Folded => event.type === 'history.folded')
  return ok({
    view,
    folds: all,
    counting: foldsThatCount(all, view.voice, view.of === undefined ? 'all' : 'own'),
    marks: marks.value.filter((event): event is MarkEvent => event.type === 'message.marked'),
    planned: planned.value[0],
  })
}

/** The fold that is due for a voice, if one is. */
export async function foldTaskDue(
  services: Services,
  session: Session,
  voice: VoiceId,
): Promise<Result<FoldTask | undefined, Fault>> {
  const record = await foldRecordOf(services, session, voice)
  if (!record.ok) return record
  if (record.value === undefined) return ok(undefined)
  const { view, planned } = record.value
  // Where nothing was sent under this policy yet, no window is about to drop.
  if (planned === undefined || planned.receipt.policy !== policyLabel(view.choice.policy)) return ok(undefined)
  if (planned.receipt.degraded !== null || planned.receipt.inputs.isBare === true) return ok(undefined)
  const range = await rangeDue(services, session, record.value, planned)
  if (!range.ok) return range
  if (range.value === undefined) return ok(undefined)
  const tries = await triesFor(services.log, session.id, record.value.folds, range.value)
  if (!tries.ok) return tries
  const isCoarser = isOverSeveral(range.value, record.value.counting)
  const making = { range: range.value, planned, tries: tries.value, isCoarser }
  const by = await makerFor(services, view.setting, view.choice.model, making)
  if (by === undefined) return ok(undefined)
  return ok({ range: range.value, by, model: view.choice.model.name, cause: planned.receipt.inputs.cause })
}

type Range = FoldTask['range']

/** Whether a stretch takes the place of several folds. */
const isOverSeveral = ({ from, to }: Range, folds: readonly FoldEvent[]): boolean =>
  folds.filter(fold => fold.from >= from && fold.to <= to).length > 1

async function rangeDue(
  services: Services,
  session: Session,
  { view, folds, counting, marks }: FoldRecord,
  planned: Planned,
): Promise<Result<Range | undefined, Fault>> {
  const { receipt } = planned
  const { setting, of, voice, choice } = view
  const own = of === undefined ? {} : { voice: of }
  const usable = new Set(usableFolds(counting, marks))
  const factor = await services.factors.of(choice.model.name)
  const { room, bounds } = spaceOf(view, receipt, factor)
  // What a person excluded must not be told by a summary. Until it is made anew, the summary is not sent.
  const leaking = counting.find(fold => !usable.has(fold))
  if (leaking !== undefined) {
    const { seq, from, to, folded = 0, asked } = leaking
    const tokens = Math.max(leaking.tokens, foldTokens(setting, folded, room / factor))
    return ok({ ...own, from, to, replaces: seq, tokens, ...(asked === undefined ? {} : { asked }) })
  }
  const begins = receipt.window.begins
  if (bounds !== undefined && begins !== null && !isRemovedAt(folds, of, begins)) {
    // A narrowed request says little of its window.
    const isNear =
      receipt.window.narrowed === true ? ok(true) : await mayBeNear(services.log, session.id, planned, bounds.high, factor)
    if (!isNear.ok) return isNear
    const units = !isNear.value
      ? ok([])
      : await unitsSince(services, session, { voice, view: of === undefined ? 'all' : 'own' }, begins)
    if (!units.ok) return units
    const due = foldDue({
      ...{ units: units.value, last: receipt.window, bounds, room, factor, setting, folds: counting },
      before: frontTokens(receipt),
    })
    if (due !== undefined) return ok({ ...own, from: due.from, to: due.to, tokens: due.tokens })
  }
  const coarser = coarserDue(counting, setting, room / factor)
  return ok(coarser === undefined ? undefined : { ...own, ...coarser })
}

/** What is weighed more exactly later may be so much less in truth, and folds are due at four fifths of the bound. */
const NEAR = 0.75

/** Whether the window may be nearly full: what the last request showed, and what was said since. Most windows are not. */
async function mayBeNear(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  { seq, receipt }: Planned,
  high: number,
  factor: number,
): Promise<Result<boolean, Fault>> {
  const shown = tokensOf(receipt.in, ({ kind }) => kind !== 'system' && kind !== 'tools')
  const since = await log.read(id, { only: 'conversation', after: seq })
  return mapResult(since, events => shown + factor * events.reduce((sum, { tokens }) => sum + tokens, 0) > high * NEAR)
}

/** The room of the next request as far as the last one tells it, and the bounds of its window where that grows. */
export function spaceOf(
  { choice: { policy, model, thinking, sampling } }: FoldView,
  receipt: Receipt,
  factor: number,
): { readonly room: number; readonly bounds: { readonly high: number; readonly low: number } | undefined } {
  const settled = settlePolicy(policy, {
    model: { ...model.facts, ...model, factor },
    thinking,
    ...(sampling === undefined ? {} : { sampling }),
  })
  const limit = requestLimit(settled, model.window)
  const fixed = tokensOf(receipt.in, ({ kind }) => kind === 'system' || kind === 'tools')
  const room = Math.max(0, limit - fixed)
  const plain = settled.window.grows?.({ limit, fixed })
  if (plain === undefined) return { room, bounds: undefined }
  const high = Math.min(plain.high * (receipt.window.follow?.times ?? 1), Math.max(plain.high, room))
  return { room, bounds: { high, low: (plain.low * high) / Math.max(1, plain.high) } }
}

/** What stood before the window: pins, folds and the note. */
const frontTokens = ({ in: lines, window: { begins } }: Receipt): number =>
  tokensOf(
    lines,
    ({ reason, from = 0 }) =>
      reason === 'summary.folded' || reason === 'note.omitted' || (reason === 'pin.person' && from < (begins ?? 0)),
  )

const tokensOf = (lines: readonly InLine[], isMeant: (line: InLine) => boolean): number =>
  lines.reduce((sum, line) => sum + (isMeant(line) ? line.tokens : 0), 0)

/** What a person removed is not made again by itself, as long as the window begins there. */
const isRemovedAt = (folds: readonly Folded[], of: VoiceId | undefined, begins: number): boolean =>
  folds.findLast(({ voice, from, to }) => voice === of && from <= begins && begins <= to)?.text === ''

const LOOK_BACK = 200

/** How often a fold of the same beginning was begun and did not come about. */
export async function triesFor(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  folds: readonly Folded[],
  { from, voice }: Pick<FoldRange, 'from' | 'voice'>,
): Promise<Result<number, Fault>> {
  const made = new Set(folds.map(({ turn }) => turn))
  const isTry = (event: Recorded): boolean =>
    event.type === 'turn.started' &&
    event.voice === FOLD &&
    event.fold?.from === from &&
    event.fold.voice === voice &&
    !made.has(event.turn)
  const starts = await log.read(id, { only: 'turn.started', newest: true, limit: LOOK_BACK })
  return mapResult(starts, events => events.filter(isTry).length)
}

/** After so many tries a model is not asked again for the same stretch. */
const MOST_TRIES = 2

type Making = {
  readonly range: Range
  readonly planned: Planned | undefined
  readonly tries: number
  /** It takes the place of several folds. */
  readonly isCoarser?: boolean
}

/** Who makes a fold: as the policy says, or a model where it can be asked without harm. Undefined if it has failed too often. */
export async function makerFor(
  services: Services,
  { by }: Pick<FoldSetting, 'by'>,
  model: Model,
  { range, planned, tries, isCoarser = false }: Making,
): Promise<FoldMaker | undefined> {
  if (by === 'extract') return 'extract'
  if (by === 'model') return tries < MOST_TRIES ? 'model' : undefined
  const isApart = model.name === 'demo' || model.facts.keepsOnePrefix === true
  // No cache has the words of long ago. A model would read all of them at full price, again with each coarser one.
  if (isApart || isCoarser || tries >= MOST_TRIES) return 'extract'
  return (await isAffordable(services, model, range, planned)) ? 'model' : 'extract'
}

async function isAffordable(
  { budget, limits }: Services,
  { facts: { price } }: Model,
  { tokens }: Range,
  planned: Planned | undefined,
): Promise<boolean> {
  if (limits.budgetUsdPerDay === null) return true
  const left = await budget.left()
  const { estimated, reserved } = planned?.receipt.tokens ?? { estimated: 0, reserved: 2 * tokens }
  return left !== null && price !== undefined && mostOf(price, { estimated, reserved }) <= left
}
