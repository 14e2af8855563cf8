/** Decides how much a request may quote of what it hides: by the policy's number, or by what hiding the past has saved. */
import type { Material } from '../../model/plan.ts'
import type { Candidate, RecallFound } from '../../model/recall.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import { lastExchange, unitSeq, unitsOf } from '../window/units.ts'
import { type Beat, PER_MESSAGE, seqsOf, weightOf } from './draft.ts'
import type { Windowed } from './window.ts'

/** What recall may do in one request. All tokens are as the model counts them. */
export type RecallBudget = {
  /** The messages that may be quoted. */
  readonly candidates: readonly Candidate[]
  readonly most: number
  /** Quotes come before all of the window but the last exchange and pins. */
  readonly isFirst: boolean
  readonly looksBack: boolean
  readonly hidden: number
  /** Of that, what quotes of other chats may take in this turn without being paid for. */
  readonly elsewhere: number
  /** The most that quotes of this chat may take, where that is less. */
  readonly mostOwn?: number
  /** The window shows only what comes from this seq on. */
  readonly shows?: number
  /** What there is to spend before quotes are paid; absent where a policy gives a number. */
  readonly balance?: number
}

/** Of a request: what is quoted unasked, and what the window keeps where it makes room for quotes. */
const UNASKED = 0.1
const NARROWED = 0.12
/** Of what is hidden: what is quoted unasked, and what may be more than that. */
const UNASKED_OF_HIDDEN = 0.05
const LEAST_OF_HIDDEN = 0.02
/** Up to so many tokens a request narrows its window; beyond it, a window is read from the cache at a tenth of the price. */
const MOST_NARROWED = 16_000
const MOST_BESIDE = 8000
/** How well a message has to match where the new one does not ask about the past: `bench/recall-price` has the table. */
const LEAST_MATCH = 6
/** A message with less than this part of the best score is not worth its price: `docs/bench-memory.md` has the numbers. */
const FAINT = 0.15
const ENOUGH = 100
/** Full history would read everything at a tenth of the price; a window that was cut is written once more instead. */
const READ = 0.1
const WRITTEN_AGAIN = 1.15
/** No provider keeps a shorter prefix. */
const LEAST_CACHED = 1024

/** What may be quoted; undefined if nothing is hidden, or nothing was found. */
export function recallBudget(
  near: Windowed,
  material: Material,
  policy: Pick<SettledPolicy, 'recall'>,
  limit: number,
): RecallBudget | undefined {
  const found = material.recall?.found
  const setting = policy.recall
  if (found === undefined || setting === null || setting === undefined) return undefined
  if (setting.tokens !== 'auto') {
    // What the window shows anyway is better where it was said.
    const isWhole = near.omitted + near.folded === 0
    if (isWhole && found.elsewhere === undefined) return undefined
    const always = seqsIn(isWhole ? shownBeats(near) : [...near.pins, ...exchangeOf(near)])
    // No gate: an answer often shares nothing with its question but the place beside it.
    const candidates = quotable(found, material).filter(candidate => !isShown(candidate, always))
    const hidden = hiddenTokens(found, near, material) + elsewhereTokens(found, material)
    return { candidates, most: setting.tokens, isFirst: true, looksBack: looksBack(found, near), hidden, elsewhere: 0 }
  }
  return earned(found, near, material, limit)
}

/** By what was saved: a turn first earns, then spends. */
function earned(found: RecallFound, near: Windowed, material: Material, limit: number): RecallBudget {
  const { factor, abilities } = material.model
  const asked = looksBack(found, near)
  const shown = seqsIn(shownBeats(near))
  const wide = hiddenTokens(found, near, material)
  const before = (material.recall?.balance ?? firstBalance(found, material)) - paidAgain(near, material, limit, wide)
  const balance = before + READ * wide
  // What other chats have would never be sent whole, so that hiding it saves nothing: each turn may quote a tenth of a request
  // of it, and what is not used is not kept. More is paid for from what hiding the past of this chat has saved.
  const there = elsewhereTokens(found, material)
  const elsewhere = there === 0 ? 0 : Math.floor(UNASKED * limit)
  const saved = Math.max(0, balance)
  const spend = (most: number, own: number = saved): Pick<RecallBudget, 'most' | 'elsewhere' | 'mostOwn'> => ({
    ...{ most: Math.min(most, own + elsewhere), elsewhere },
    ...(found.elsewhere === undefined ? {} : { mostOwn: Math.min(most, own) }),
  })
  const worthwhile = notFaint(quotable(found, material)).filter(({ isRelated }) => isRelated)
  const related = worthwhile.filter(candidate => !isShown(candidate, shown))
  const beside = { isFirst: false, looksBack: asked, hidden: wide + there, balance }
  if (!asked) {
    const own = Math.min(Math.max(Math.min(UNASKED * limit, UNASKED_OF_HIDDEN * wide), LEAST_OF_HIDDEN * wide), saved)
    const candidates = related.filter(({ match }) => match >= LEAST_MATCH)
    return { ...beside, ...spend(Math.max(own, elsewhere), own), candidates }
  }
  const room = limit - near.fixed.cost
  if (abilities?.keepsOnePrefix === true) return { ...beside, candidates: related, ...spend(room / 2) }
  const narrowed = limit > MOST_NARROWED ? undefined : narrowedWindow(near, limit, factor)
  const free = room - pastCost(near, factor)
  if (narrowed === undefined || balance <= free) return { ...beside, candidates: related, ...spend(MOST_BESIDE) }
  // What is before the window is not read from the cache, either, where the window is narrowed.
  const unread = uncached(near) + (1 - READ) * near.frontCost
  const left = before + READ * (wide + narrowed.hidden) - WRITTEN_AGAIN * narrowed.shown - unread
  const kept = seqsIn([...near.head, ...near.pins, ...near.past.filter(({ seq }) => seq >= narrowed.shows)])
  return {
    ...{ isFirst: false, looksBack: asked, hidden: wide + there + narrowed.hidden, balance: left, shows: narrowed.shows },
    candidates: worthwhile.filter(candidate => !isShown(candidate, kept)),
    ...spend(Number.POSITIVE_INFINITY, Math.max(0, left)),
  }
}

/** Without candidates that match only faintly, compared with the best. A score says how far a message is from the others: of few it says little. */
function notFaint(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < ENOUGH) return candidates
  const best = candidates.reduce((most, { score }) => Math.max(most, score), 0)
  return candidates.filter(({ score }) => score >= FAINT * best)
}

/** What the voice could see of the other chats that were asked. */
const elsewhereTokens = ({ elsewhere }: RecallFound, { model: { factor } }: Material): number => (elsewhere?.tokens ?? 0) * factor

/** The candidates that no pin of another chat shows already. */
function quotable({ candidates }: RecallFound, { pinned }: Material): readonly Candidate[] {
  const shown = new Set(pinned?.quotes.flatMap(({ chat, seqs }) => seqs.map(seq => `${chat?.session} ${seq}`)))
  if (shown.size === 0) return candidates
  return candidates.filter(({ chat, seqs }) => chat === undefined || !seqs.some(seq => shown.has(`${chat.session} ${seq}`)))
}

/** What full history would have read from the cache and this request pays for again. */
function paidAgain(near: Windowed, { last, model: { factor } }: Material, limit: number, hidden: number): number {
  if (last === undefined) return 0
  const isMoved = near.state.begins !== last.begins || `${near.state.folds}` !== `${last.folds}`
  if (isMoved) return WRITTEN_AGAIN * pastCost(near, factor)
  if (last.recalled === undefined && last.narrowed === undefined) return 0
  // What was said behind quotes has another place now. The last reply has never been sent before.
  const exchange = exchangeOf(near)
  const moved = WRITTEN_AGAIN * costOf(exchange.slice(0, -1), factor)
  if (last.narrowed === undefined) return moved
  const steps = exchange.filter(({ kind }) => kind === 'said').length
  return moved + Math.max(0, steps - 1) * Math.max(0, limit - READ * (hidden + limit))
}

/** System text and tools that are too short for a cache are read from it only as the beginning of a marked window. */
const uncached = ({ fixed: { cost } }: Windowed): number => (cost < LEAST_CACHED ? (1 - READ) * cost : 0)

/** Asks about the past, and the best message that is not shown beats all that are. */
function looksBack({ candidates, asksAboutPast }: RecallFound, near: Windowed): boolean {
  if (!asksAboutPast) return false
  const shown = seqsIn(shownBeats(near))
  const best = (isIn: boolean): number =>
    candidates.reduce(
      (most, candidate) => (isShown(candidate, shown) === isIn ? Math.max(most, candidate.score) : most),
      Number.NEGATIVE_INFINITY,
    )
  return best(false) > best(true)
}

/** A past that came from elsewhere starts with what its answers would have paid to read it again. */
const firstBalance = ({ tokens, answers }: RecallFound, { last, model, begins }: Material): number =>
  last === undefined && begins === null ? READ * tokens * answers * model.factor : 0

const shownBeats = ({ head, pins, past }: Windowed): readonly Beat[] => [...head, ...pins, ...past]

function seqsIn(beats: readonly Beat[]): ReadonlySet<number> {
  return new Set(
    beats.flatMap(beat =>
      beat.kind === 'said' ? [...seqsOf(beat), ...beat.answers.flatMap(({ seq }) => seq ?? [])] : [beat.seq],
    ),
  )
}

/** What was said elsewhere is never shown in a window. */
export const isShown = ({ seqs, chat }: Pick<Candidate, 'seqs' | 'chat'>, shown: ReadonlySet<number>): boolean =>
  chat === undefined && seqs.some(seq => shown.has(seq))

/** The seqs of all messages that a window shows. */
export const shownSeqs = (near: Windowed): ReadonlySet<number> => seqsIn(shownBeats(near))

const costOf = (beats: readonly Beat[], factor: number): number => beats.reduce((sum, beat) => sum + weightOf(beat), 0) * factor

const pastCost = (near: Windowed, factor: number): number => costOf(shownBeats(near), factor) + near.frontCost

/** Tokens of all that could be seen, less what is shown of it, or in its place. */
function hiddenTokens({ tokens }: RecallFound, near: Windowed, { model: { factor } }: Material): number {
  if (near.omitted + near.folded === 0) return 0
  const shown = shownBeats(near).reduce((sum, beat) => sum + weightOf(beat) - PER_MESSAGE, 0)
  return Math.max(0, (tokens - shown) * factor - near.frontCost)
}

/** The beats of the last exchange. */
function exchangeOf({ past }: Windowed): readonly Beat[] {
  const units = unitsOf(past.filter(beat => beat.kind !== 'summary'))
  return units.slice(lastExchange(units)).flatMap(({ beats }) => beats)
}

/** What exchange and quotes leave room for, where the past has to be small for one turn. */
export const exchangeCost = (near: Windowed, factor: number): number => costOf([...near.pins, ...exchangeOf(near)], factor)

/** The last exchange and what more fits into its part of the request; undefined if that is all of the window. */
function narrowedWindow(
  { past }: Windowed,
  limit: number,
  factor: number,
): { readonly shows: number; readonly hidden: number; readonly shown: number } | undefined {
  const units = unitsOf(past.filter(beat => beat.kind !== 'summary'))
  let from = lastExchange(units)
  const cost = (index: number): number =>
    costOf(
      units.slice(index).flatMap(({ beats }) => beats),
      factor,
    )
  while (from > 0 && cost(from - 1) <= NARROWED * limit) from -= 1
  // A conversation begins with a person.
  while (from < units.length && units[from]?.beats[0]?.kind === 'said') from += 1
  const first = units[from]
  if (from === 0 || first === undefined) return undefined
  return { shows: unitSeq(first), hidden: cost(0) - cost(from), shown: cost(from) }
}
