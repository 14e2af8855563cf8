// How full the newest request was, and what it was made of.
import { windowRules } from '../../../../src/context/window/kinds.ts'
import type { Usage } from '../../../../src/model/message/delta.ts'
import type { InReason, Receipt } from '../../../../src/model/receipt.ts'
import { isHouseVoice } from '../../../../src/model/settings/council.ts'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import type { ReplyEntry, ViewEntry } from '../../view/view.ts'
import { percentWords, shortCount } from '../../words/amounts.ts'

/** What a request is made of, in the order it is drawn in. */
export type Slice =
  | 'system'
  | 'tools'
  | 'skills'
  | 'notes'
  | 'pinned'
  | 'summaries'
  | 'history'
  | 'recalled'
  | 'references'
  | 'current'

export const SLICE_WORDS: Readonly<Record<Slice, string>> = {
  system: 'Instructions',
  tools: 'Tools',
  skills: 'Skills',
  notes: 'Notes of the house',
  pinned: 'Pinned',
  summaries: 'Summaries',
  history: 'The conversation so far',
  recalled: 'Recalled earlier messages',
  references: 'What other advisors said',
  current: 'The new message',
}

export type RingPart = {
  readonly slice: Slice
  readonly tokens: number
  /** The part that the provider's cache had, or should have had. */
  readonly cached: number
}

/** How full the newest request of a voice was. */
export type RingFigures = {
  readonly voice: string
  readonly name: string | null
  readonly model: string
  readonly policy: string
  readonly used: number
  /** True if the provider counted the tokens; false for our own estimate. */
  readonly isCounted: boolean
  /** The most tokens a request may have; null if unknown. */
  readonly limit: number | null
  readonly reserved: number
  /** The part that the cache had; if the provider did not count it, the part that it could have had. */
  readonly cached: number
  readonly share: number | null
  readonly level: 'calm' | 'warm' | 'hot'
  readonly parts: readonly RingPart[]
}

const WARM = 0.75
const HOT = 0.9

const SLICES: Readonly<Record<InReason, Slice>> = {
  'system.agent': 'system',
  'system.agents-md': 'system',
  'system.project': 'system',
  'system.phase': 'system',
  'skill.full': 'skills',
  'skill.listed': 'skills',
  'tools.schema': 'tools',
  'head.first': 'history',
  'recent.window': 'history',
  'recent.excerpt': 'history',
  'summary.folded': 'summaries',
  'note.omitted': 'notes',
  'note.turn': 'notes',
  'note.clock': 'notes',
  'pin.person': 'pinned',
  'recall.match': 'recalled',
  'reference.last-round': 'references',
  'current.message': 'current',
  'current.cycle': 'current',
}

/** The newest request of each voice that may answer here, and of these the fullest; null before the first one. */
export function ringOf(entries: readonly ViewEntry[], mayAnswer: (voice: string) => boolean = () => true): RingFigures | null {
  const asked = entries.filter((entry): entry is ReplyEntry => isAsked(entry) && mayAnswer(entry.voice))
  const newest = [...new Map(asked.map(entry => [entry.voice, entry])).values()]
  const rings = newest.flatMap(entry => {
    const step = entry.steps.findLast(({ receipt }) => receipt !== null)
    return step?.receipt == null ? [] : [ring(entry, step.receipt, step.usage)]
  })
  return rings.reduce<RingFigures | null>((most, one) => (most === null || fullness(one) > fullness(most) ? one : most), null)
}

const isAsked = (entry: ViewEntry): entry is ReplyEntry =>
  entry.kind === 'reply' && !isHouseVoice(entry.voice) && entry.steps.some(({ receipt }) => receipt !== null)

const fullness = ({ share, used }: RingFigures): number => share ?? used / 1e9

function ring({ voice, name }: ReplyEntry, receipt: Receipt, usage: Usage | null): RingFigures {
  const { tokens, cache, in: lines, model, policy } = receipt
  const reported = usage === null ? tokens.reported : usage.input + usage.cacheRead + usage.cacheWrite
  const used = reported ?? tokens.estimated
  const limit = tokens.limit > 0 ? tokens.limit : null
  const share = limit === null ? null : used / limit
  const known = usage?.cacheRead ?? tokens.cached ?? Math.floor(used * (cache?.stableShare ?? 0))
  const cached = Math.min(used, known)
  return {
    ...{ voice, name, model, policy, used, limit, share, cached },
    isCounted: reported !== null,
    reserved: tokens.reserved,
    level: share === null || share <= WARM ? 'calm' : share <= HOT ? 'warm' : 'hot',
    parts: scaledParts(ringParts(lines, 0), used, cached),
  }
}

/** What a reason counts as; one that this page does not know yet is taken for something new. */
export const sliceOf = (reason: string): Slice => (Object.hasOwn(SLICES, reason) ? SLICES[reason as InReason] : 'current')

/** A cache knows a beginning, so what it knows is taken from the first lines on. */
export function ringParts(lines: Receipt['in'], cached: number): readonly RingPart[] {
  const parts = new Map<Slice, RingPart>()
  let left = cached
  for (const { reason, tokens } of lines) {
    const slice = sliceOf(reason)
    const before = parts.get(slice) ?? { slice, tokens: 0, cached: 0 }
    const known = Math.min(left, tokens)
    left -= known
    parts.set(slice, { slice, tokens: before.tokens + tokens, cached: before.cached + known })
  }
  return [...parts.values()].filter(({ tokens }) => tokens > 0)
}

/**
 * The parts in the measure of the whole: a receipt's lines are our estimate, and what the provider counted is seldom the same.
 * They add up to `used` exactly. A cache knows a beginning, so what it knows is taken from the first parts on.
 */
export function scaledParts(parts: readonly RingPart[], used: number, cached: number): readonly RingPart[] {
  const whole = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  if (whole === 0) return used === 0 ? [] : [{ slice: 'current', tokens: used, cached: Math.min(used, cached) }]
  let [counted, shared, left] = [0, 0, cached]
  return parts
    .map(({ slice, tokens: estimated }) => {
      counted += estimated
      const tokens = Math.round((counted / whole) * used) - shared
      shared += tokens
      const known = Math.min(left, tokens)
      left -= known
      return { slice, tokens, cached: known }
    })
    .filter(({ tokens }) => tokens > 0)
}

/** The numbers in words; a color alone says nothing. */
export const ringWords = ({ used, limit, share }: RingFigures): string =>
  limit === null || share === null
    ? `${shortCount(used)} tokens, of a window of unknown size`
    : `${shortCount(used)} of ${shortCount(limit)}, ${percentWords(share)}`

/** What the policy does next, once it is worth knowing. */
export function ringWarning({ level, share }: RingFigures, policy: Pick<Policy, 'window'> | undefined): string | null {
  if (level === 'calm' || share === null) return null
  const full = level === 'hot' ? 'Nearly full' : 'Filling up'
  return `${full}: ${willHappen(policy)}`
}

const willHappen = (policy: Pick<Policy, 'window'> | undefined): string =>
  windowRules(policy?.window ?? { kind: 'all' }).words.nearlyFull
