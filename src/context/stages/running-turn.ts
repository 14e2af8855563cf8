/** Stage 6, running turn: a turn with tools has a window of its own, so that it can go on for as long as it takes. */
import type { Material } from '../../model/plan.ts'
import type { Excerpt, HiddenSteps, RecallReceipt, WindowState } from '../../model/receipt.ts'
import { fairShare } from '../recall/quote.ts'
import type { Measure } from '../text/tokens.ts'
import { withResults, withStepsNote } from '../window/as-shown.ts'
import { NOTE_TOKENS } from '../window/choose-past.ts'
import { tokensOf } from '../window/excerpt-message.ts'
import { beginsTurn, firstWhere, lastExchange, unitSeq, unitsOf } from '../window/units.ts'
import { type Aware, type Beat, isOptional, type LeftOut, leftOut, PER_MESSAGE, type SaidBeat, weightOf } from './draft.ts'
import { some, type Windowed } from './window.ts'

/** A draft with a window, and the texts beside the new message. */
export type AwareWindow = Aware & Windowed & { readonly recall?: RecallReceipt }

/** Of the room: what all results of a step may take together, and what must be left before a step goes in without a cut. */
const QUARTER = 1 / 4
/** Of the room: what a cut leaves of the past and of the turn's steps. */
const HALF = 1 / 2
/** Each result gets at least so many tokens, or a quarter of the request where that is less. */
const LEAST_RESULT = 1000

/**
 * Decides how much of the newest results is shown, and cuts where there is too little room left: first the past, oldest turns
 * first, then the oldest steps of the turn itself. The newest step stays, and so does all that a person said.
 */
export function runningTurn(aware: AwareWindow, material: Material, measure: Measure): AwareWindow {
  const steps = aware.current.filter(beat => beat.kind === 'said')
  const newest = steps.at(-1)
  if (newest === undefined) return aware
  const sizes = sizesOf(aware, material, measure)
  const fresh = material.turn.step === 1 ? steps : [newest]
  const whole = withFresh(thoughtlessUntil(aware, aware.state.thoughtless, measure), fresh, sizes, sizes.share(fresh))
  // Results that fit as they are need no cut, however little is left after them.
  if ((sizes.left(aware, fresh) >= sizes.room * QUARTER || whole.state.results === aware.state.results) && sizes.fits(whole))
    return whole
  const quiet = thoughtlessUntil(withoutQuotes(aware), newest.seq, measure)
  const unquoted = withFresh(quiet, fresh, sizes, sizes.share(fresh))
  if (aware.asides.some(isOptional) && sizes.left(quiet, fresh) >= sizes.room * QUARTER && sizes.fits(unquoted)) return unquoted
  for (const target of [sizes.room * HALF, 0]) {
    const cut = cutTo(aware, target, material, sizes)
    const shown = withFresh(cut, fresh, sizes, sizes.share(fresh))
    if (sizes.fits(shown)) return shown
  }
  // Not even the newest step fits beside what must stay, so its results are shortened further.
  const alone = cutTo(aware, 0, material, sizes)
  const shown = fresh.filter(({ seq }) => alone.current.some(beat => beat.seq === seq))
  return withFresh(alone, shown, sizes, sizes.shareOf(shown, sizes.left(alone, shown)))
}

type Sizes = {
  readonly measure: Measure
  readonly room: number
  /** What is left of the request beside everything but these results. */
  readonly left: (aware: AwareWindow, fresh: readonly SaidBeat[]) => number
  readonly fits: (aware: AwareWindow) => boolean
  /** The most tokens, as we count, of each of these results where there is room enough. */
  readonly share: (fresh: readonly SaidBeat[]) => number
  /** The same where they have only so much room, in tokens as the model counts. */
  readonly shareOf: (fresh: readonly SaidBeat[], room: number) => number
  /** What the past and the steps of the turn take, without these results. */
  readonly taken: (aware: AwareWindow, fresh: readonly SaidBeat[]) => number
}

function sizesOf({ limit, fixed }: AwareWindow, { model: { factor } }: Material, measure: Measure): Sizes {
  const room = limit - fixed.cost
  const resultTokens = (beats: readonly SaidBeat[]): readonly number[] =>
    beats.flatMap(({ answers }) => answers.map(answer => tokensOf(answer, measure)))
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
  const weight = (beats: readonly Beat[]): number => sum(beats.map(weightOf))
  const freshOf = (aware: AwareWindow, fresh: readonly SaidBeat[]): readonly SaidBeat[] => {
    const seqs = new Set(fresh.map(({ seq }) => seq))
    return aware.current.filter((beat): beat is SaidBeat => beat.kind === 'said' && seqs.has(beat.seq))
  }
  const steps = ({ current }: AwareWindow): number => weight(current.filter(beat => beat.kind === 'said'))
  const front = ({ pinned, folds }: AwareWindow): number =>
    [pinned, folds].reduce((all, block) => all + (block ? measure.count(block.text) + PER_MESSAGE : 0), 0)
  const past = (aware: AwareWindow): number =>
    weight([...aware.head, ...aware.pins, ...aware.past]) + front(aware) + (aware.note === null ? 0 : NOTE_TOKENS)
  const texts = ({ asides }: AwareWindow): number =>
    sum(asides.filter(isOptional).map(aside => measure.count(aside.text) + PER_MESSAGE))
  const taken: Sizes['taken'] = (aware, fresh) =>
    (past(aware) + texts(aware) + steps(aware) - sum(resultTokens(freshOf(aware, fresh)))) * factor
  // A line of the receipt is rounded up; each excerpt, note and step may begin another line.
  const rounding = ({ current, state, pinned, folds }: AwareWindow): number =>
    6 + 2 * (state.excerpts ?? []).length + current.length + (pinned?.parts.length ?? 0) + (folds?.parts.length ?? 0)
  return {
    measure,
    room,
    taken,
    left: (aware, fresh) => room - taken(aware, fresh) - rounding(aware),
    fits: aware => taken(aware, []) + rounding(aware) <= room,
    share: fresh => {
      const lengths = resultTokens(fresh)
      const fair = fairShare(lengths, (room * QUARTER) / factor, Number.POSITIVE_INFINITY)
      return Math.max(fair, Math.floor(Math.min(LEAST_RESULT, (limit * QUARTER) / factor)))
    },
    shareOf: (fresh, left) => Math.max(1, Math.floor(fairShare(resultTokens(fresh), left / factor, Number.POSITIVE_INFINITY))),
  }
}

/** The newest results, each with at most so many tokens; what is decided now stays. */
function withFresh(aware: AwareWindow, fresh: readonly SaidBeat[], { measure }: Sizes, most: number): AwareWindow {
  const bounds = fresh.flatMap(({ answers }) =>
    answers.flatMap((answer): readonly Excerpt[] =>
      answer.seq !== undefined && tokensOf(answer, measure) > most ? [{ seq: answer.seq, tokens: most }] : [],
    ),
  )
  if (bounds.length === 0) return aware
  const map = new Map(bounds.map(({ seq, tokens }) => [seq, tokens]))
  const results = [...(aware.state.results ?? []), ...bounds]
  return {
    ...aware,
    current: aware.current.map(beat => (beat.kind === 'said' ? withResults(beat, map, measure) : beat)),
    state: { ...aware.state, results },
  }
}

/** Cuts until the past and the steps take at most `target`, or nothing more can go. */
function cutTo(aware: AwareWindow, target: number, material: Material, sizes: Sizes): AwareWindow {
  const { measure } = sizes
  const steps = aware.current.filter(beat => beat.kind === 'said')
  const newest = steps.at(-1)
  const fresh = newest === undefined ? [] : [newest]
  let cut = thoughtlessUntil(withoutQuotes(aware), newest?.seq, measure)
  const isEnough = (): boolean => sizes.taken(cut, fresh) <= target
  if (isEnough()) return cut
  const before = cut
  const order = pastInOrder(before)
  const without = (many: number): AwareWindow => withoutMessages(before, order.slice(0, many).flat(), material)
  const many = firstWhere(order.length, index => sizes.taken(without(index), fresh) <= target)
  cut = without(many)
  for (const step of steps.slice(0, -1)) {
    if (isEnough()) return cut
    cut = withoutStep(cut, step, measure)
  }
  return cut
}

/** Stand for the folds, and for what was pinned in other chats, among the messages that a cut takes. */
const FOLDS = 'folds'
const PINNED_ELSEWHERE = 'pinned elsewhere'

/** What of the past a cut takes, in this order: recent turns, oldest first, folds, the head, pins, the last exchange. */
function pastInOrder({ head, pins, past, folds, pinned }: AwareWindow): readonly (readonly string[])[] {
  const units = unitsOf(past.filter(beat => beat.kind !== 'summary'))
  const exchange = lastExchange(units)
  const turns: string[][] = []
  for (const [index, unit] of units.slice(0, exchange).entries()) {
    const open = turns.at(-1)
    if (open === undefined || beginsTurn(units, index)) turns.push([unit.key])
    else open.push(unit.key)
  }
  const keysOf = (beats: readonly Beat[]): readonly string[] => [...new Set(beats.map(({ message }) => message))]
  const last = units.slice(exchange).map(({ key }) => key)
  const elsewhere = pinned ? [PINNED_ELSEWHERE] : []
  const order = [...turns, folds ? [FOLDS] : [], keysOf(head), elsewhere, ...keysOf(pins).map(key => [key]), last]
  return order.filter(keys => keys.length > 0)
}

/** Without the summaries: what they stand for is left out as if there were none. */
function withoutFolds(aware: AwareWindow): AwareWindow {
  const { folds: _, ...state } = aware.state
  const left = aware.left.map(({ fold, ...item }): LeftOut => (fold === undefined ? item : { ...item, reason: 'out.window' }))
  return { ...aware, folds: null, omitted: aware.omitted + aware.folded, folded: 0, left, state }
}

function withoutPinnedElsewhere(aware: AwareWindow): AwareWindow {
  const { pinned: _, ...state } = aware.state
  const more = aware.pinned?.parts.length ?? 0
  return { ...aware, pinned: null, left: [...aware.left, { from: 0, to: 0, messages: [], more, reason: 'out.budget' }], state }
}

function withoutMessages(all: AwareWindow, keys: readonly string[], { turn, folds = [] }: Material): AwareWindow {
  if (keys.length === 0) return all
  const gone = new Set(keys)
  const unfolded = gone.has(FOLDS) ? withoutFolds(all) : all
  const aware = gone.has(PINNED_ELSEWHERE) ? withoutPinnedElsewhere(unfolded) : unfolded
  const stays = (beat: Beat): boolean => beat.kind === 'summary' || !gone.has(beat.message)
  const { head, pins, past, state } = aware
  const away = [...head, ...pins, ...past].filter(beat => !stays(beat))
  const seqs = new Set(away.map(({ seq }) => seq))
  const recent = past.filter(stays)
  const [first] = unitsOf(recent.filter(beat => beat.kind !== 'summary'))
  const begins = first === undefined ? turn.cause : unitSeq(first)
  const unpinned = [...(state.unpinned ?? []), ...unitsOf(pins.filter(beat => !stays(beat))).map(unitSeq)]
  // A fold may reach beyond where the window began: then it stands for what is left out now.
  const shown = folds.filter(({ seq }) => state.folds?.includes(seq))
  const goneUnits = unitsOf([...head, ...past].filter(beat => !stays(beat)))
  const under = new Map(
    goneUnits.flatMap(({ key, beats: [first] }) => {
      const fold = shown.find(({ from, to }) => first !== undefined && from <= first.seq && first.seq <= to)
      return fold === undefined ? [] : [[key, fold.seq] as const]
    }),
  )
  const omitted = aware.omitted + goneUnits.length - under.size
  const isHead = head.some(stays)
  const { head: _, ...others } = state
  const left = away.map((beat): LeftOut => {
    const fold = under.get(beat.message)
    if (fold !== undefined) return { ...leftOut(beat, 'out.folded'), fold }
    return leftOut(beat, pins.includes(beat) ? 'out.budget' : 'out.window')
  })
  const note = aware.noteFor(omitted, true)
  return {
    ...aware,
    head: head.filter(stays),
    pins: pins.filter(stays),
    past: recent,
    omitted,
    folded: aware.folded + under.size,
    // A note may be in the voice's own words only after a person's message.
    note: note === null || isHead ? note : { ...note, role: 'user' },
    left: [...aware.left, ...left],
    isCut: true,
    state: {
      ...others,
      begins,
      cut: true,
      ...(state.head === undefined ? {} : { head: isHead ? state.head : 0 }),
      ...some('unpinned', unpinned),
      ...some(
        'excerpts',
        (state.excerpts ?? []).filter(({ seq }) => !seqs.has(seq)),
      ),
    },
  }
}

/** Without one of the turn's own steps; a note says how many there are. */
function withoutStep(aware: AwareWindow, step: SaidBeat, measure: Measure): AwareWindow {
  const [before] = (aware.state.hidden ?? []).filter(({ through }) => through < step.seq && isOfTurn(aware, through, step))
  const hidden: HiddenSteps = {
    from: before?.from ?? step.seq,
    through: step.to,
    steps: (before?.steps ?? 0) + 1,
  }
  const rest = aware.current.filter(beat => beat.seq !== step.seq || beat.kind !== 'said')
  const first = rest.findIndex(beat => beat.kind === 'said')
  const next = rest[first]
  const current = next?.kind === 'said' ? rest.with(first, withStepsNote(bare(next, measure), hidden.steps, measure)) : rest
  return {
    ...aware,
    current,
    left: [...aware.left, leftOut(step, 'out.budget')],
    isCut: true,
    state: { ...aware.state, hidden: [...(aware.state.hidden ?? []).filter(each => each !== before), hidden] },
  }
}

/** Steps that were hidden before this one belong to its turn if they come after the message that caused it. */
const isOfTurn = ({ current }: AwareWindow, through: number, step: SaidBeat): boolean => {
  const cause = current.find(beat => beat.kind === 'heard')
  return through < step.seq && through > (cause?.seq ?? 0)
}

function bare(beat: SaidBeat, measure: Measure): SaidBeat {
  if (beat.stepsNote === undefined) return beat
  const { stepsNote, ...rest } = beat
  return { ...rest, tokens: beat.tokens - measure.count(stepsNote) }
}

/** Optional quotes go before anything that was said here. */
function withoutQuotes(aware: AwareWindow): AwareWindow {
  const quotes = aware.asides.filter(isOptional)
  if (quotes.length === 0) return aware
  const left = quotes.map(({ from = 0, to = 0, quotes: own }): LeftOut => {
    const reason = own === undefined ? 'out.budget' : 'out.window'
    return { from, to, messages: [], more: own?.length ?? 1, reason }
  })
  const { recalled: _, ...state } = aware.state
  return {
    ...aware,
    asides: aware.asides.filter(aside => !isOptional(aside)),
    left: [...aware.left, ...left],
    state: { ...state, quoted: 0 },
  }
}

/** Replies up to a seq without their thinking: a model refuses thinking whose prefix has changed. */
function thoughtlessUntil(aware: AwareWindow, seq: number | undefined, measure: Measure): AwareWindow {
  if (seq === undefined) return aware
  const thinks = (beat: Beat): beat is SaidBeat =>
    beat.kind === 'said' && beat.seq <= seq && beat.parts.some(part => part.type === 'think')
  const thinking = aware.current.filter(thinks)
  if (thinking.length === 0) return aware
  const state: WindowState = { ...aware.state, thoughtless: seq }
  return {
    ...aware,
    // A reply that was cut off in the middle of its first thought is nothing without it.
    current: aware.current.flatMap((beat): readonly Beat[] => {
      if (!thinks(beat)) return [beat]
      const spoken = withoutThinking(beat, measure)
      return spoken.parts.length === 0 ? [] : [spoken]
    }),
    left: [...aware.left, ...thinking.map(beat => leftOut(beat, 'out.thinking'))],
    state,
  }
}

function withoutThinking(beat: SaidBeat, measure: Measure): SaidBeat {
  const thought = beat.parts.reduce((sum, part) => sum + (part.type === 'think' ? measure.count(part.text) : 0), 0)
  return { ...beat, parts: beat.parts.filter(part => part.type !== 'think'), tokens: beat.tokens - thought }
}
