/** Chooses the quotes of a request within their budget, makes room for them, and writes down what came of it. */
import type { Material } from '../../model/plan.ts'
import type { Candidate, RecallQuote } from '../../model/recall.ts'
import type { RecallReceipt } from '../../model/receipt.ts'
import { type ChoosingQuotes, choose } from '../recall/choose.ts'
import { type EventsOf, eventsOfChats, quotedLine, quotedText, recallBlock } from '../recall/recall-block.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import { type LeftOut, PER_MESSAGE, type PlacedAside, type PlacedQuote } from './draft.ts'
import { exchangeCost, isShown, type RecallBudget, recallBudget, shownSeqs } from './recall-budget.ts'
import { narrow, type Windowed } from './window.ts'

/** A window with room for quotes, and what recall may do beside it. */
export type RoomForQuotes = {
  readonly near: Windowed
  readonly budget: RecallBudget | undefined
  /** The most tokens that the window was built with. */
  readonly windowLimit: number
}

/** Makes room for quotes: where the policy gives a number the window gets what they leave, else it may be narrowed for this turn. */
export function roomForQuotes(
  material: Material,
  policy: SettledPolicy,
  limit: number,
  over: number,
  measure: Measure,
  windowWithin: (limit: number) => Windowed,
): RoomForQuotes {
  const { recall, turn, last } = material
  if (turn.step > 1) {
    const near = windowWithin(limit)
    return { near: last?.shows === undefined ? near : narrow(near, last.shows), budget: undefined, windowLimit: limit }
  }
  if (recall?.chosen !== undefined) {
    const { shows, receipt } = recall.chosen
    const [request, windowLimit] = receipt.limits
    const near = { ...windowWithin(windowLimit), limit: request }
    return { near: shows === undefined ? near : narrow(near, shows), budget: undefined, windowLimit }
  }
  const wide = windowWithin(limit)
  const budget = recallBudget(wide, material, policy, limit)
  if (budget === undefined) return { near: wide, budget, windowLimit: limit }
  if (!budget.isFirst) return { near: budget.shows === undefined ? wide : narrow(wide, budget.shows), budget, windowLimit: limit }
  const room = Math.min(budget.most, limit - wide.fixed.cost - exchangeCost(wide, material.model.factor) - SPARE) - over
  const reserved = costOf(
    choose(budget.candidates, room / material.model.factor - PER_MESSAGE, choosingIn(material, measure)),
    material,
    measure,
  )
  if (reserved === 0) return { near: wide, budget, windowLimit: limit }
  return { near: { ...windowWithin(limit - reserved), limit }, budget, windowLimit: limit - reserved }
}

/** A note that is not there yet, and lines that are rounded up. */
const SPARE = 24

/** What recall adds to a request, and what it did. */
export type Recalled = {
  readonly asides: readonly PlacedAside[]
  readonly quotes: readonly RecallQuote[]
  readonly receipt: RecallReceipt | undefined
}

/** The quotes beside a window: those of the turn's first step or of the request that is built again, else the best that fit. */
export function recalledBeside(
  { near, budget, windowLimit }: RoomForQuotes,
  material: Material,
  room: number,
  measure: Measure,
): Recalled {
  const { recall, turn } = material
  if (recall === undefined) return { asides: [], quotes: [], receipt: undefined }
  if (turn.step > 1 || recall.chosen !== undefined) {
    const quotes = (turn.step > 1 ? near.state.recalled : recall.chosen?.recalled) ?? []
    return { asides: asidesOf(quotes, material), quotes, receipt: recall.chosen?.receipt }
  }
  const limits = [near.limit, windowLimit] as const
  if (budget === undefined) return { asides: [], quotes: [], receipt: receiptOfNothing(material, limits) }
  const shown = shownSeqs(near)
  const most = Math.floor(Math.min(budget.most, room))
  const candidates = budget.candidates.filter(candidate => !isShown(candidate, shown))
  const quotes = quotesWithin(candidates, most, material, measure, budget)
  const tokens = costOf(quotes, material, measure)
  const here = quotes.filter(({ chat }) => chat === undefined)
  // What was said here is paid for; what was said elsewhere only beyond what each turn may take of it.
  const paid = here.length === quotes.length ? tokens : Math.max(costOf(here, material, measure), tokens - budget.elsewhere)
  const balance = budget.balance === undefined ? {} : { balance: Math.round(budget.balance - Math.max(0, paid)) }
  return {
    asides: asidesOf(quotes, material),
    quotes,
    receipt: {
      ...{ messages: quotes.length, tokens, most: Math.max(0, Math.floor(budget.most)), hidden: Math.round(budget.hidden) },
      ...{ looksBack: budget.looksBack, ...balance, limits },
    },
  }
}

/** Tokens are rounded up once they are counted as the model does, so that a choice may be a token over: then less is chosen. */
function quotesWithin(
  candidates: readonly Candidate[],
  most: number,
  material: Material,
  measure: Measure,
  { mostOwn }: Pick<RecallBudget, 'mostOwn'>,
): readonly RecallQuote[] {
  const within = (tokens: number): number => tokens / material.model.factor - PER_MESSAGE
  const isOver = (quotes: readonly RecallQuote[], tokens: number): boolean => costOf(quotes, material, measure) > tokens
  for (let less = 0; ; less += 1) {
    const own = mostOwn === undefined ? {} : { mostOwn: within(mostOwn - less) }
    const quotes = choose(candidates, within(most - less), { ...choosingIn(material, measure), ...own })
    const here = mostOwn === undefined ? [] : quotes.filter(({ chat }) => chat === undefined)
    if (quotes.length === 0 || !(isOver(quotes, most) || (here.length > 0 && isOver(here, mostOwn ?? most)))) return quotes
  }
}

/** Nothing was looked up: because it failed, or because nothing can be hidden yet. */
function receiptOfNothing({ recall }: Material, limits: RecallReceipt['limits']): RecallReceipt | undefined {
  const { failed, balance } = recall ?? {}
  if (failed === undefined && balance === undefined) return undefined
  return {
    ...{ messages: 0, tokens: 0, most: 0, hidden: 0, looksBack: false, limits },
    ...(balance === undefined ? {} : { balance }),
    ...(failed === undefined ? {} : { failed }),
  }
}

const choosingIn = (material: Material, measure: Measure): ChoosingQuotes => ({
  eventsOf: eventsIn(material),
  names: Object.values(material.voices),
  measure,
  perQuote: 1 / material.model.factor,
})

/** Made once for each request, however often its room is tried. */
function eventsIn(material: Material): EventsOf {
  const known = eventsOfMaterial.get(material)
  if (known !== undefined) return known
  const made = eventsOfChats([...material.events, ...(material.recall?.events ?? [])], material.recall?.elsewhere ?? [])
  eventsOfMaterial.set(material, made)
  return made
}

const eventsOfMaterial = new WeakMap<Material, EventsOf>()

/** The block with all quotes; nothing if there are none. */
function asidesOf(quotes: readonly RecallQuote[], material: Material): readonly PlacedAside[] {
  const { recall, voices } = material
  if (recall === undefined || quotes.length === 0) return []
  const eventsOf = eventsIn(material)
  const names = Object.values(voices)
  const placed = quotes.flatMap((quote): readonly PlacedQuote[] => {
    const [line, text] = [quotedLine(quote, eventsOf, names), quotedText(quote, eventsOf)]
    if (line === undefined || text === undefined) return []
    return [{ session: quote.chat?.session ?? recall.session, from: quote.seqs[0] ?? 0, to: quote.seqs.at(-1) ?? 0, line, text }]
  })
  if (placed.length === 0) return []
  const here = placed.filter(({ session }) => session === recall.session)
  return [
    {
      ...{ kind: 'recall', reason: 'recall.match', text: recallBlock(placed.map(({ line }) => line)), quotes: placed },
      ...(here.length === 0
        ? {}
        : { from: Math.min(...here.map(({ from }) => from)), to: Math.max(...here.map(({ to }) => to)) }),
    },
  ]
}

function costOf(quotes: readonly RecallQuote[], material: Material, measure: Measure): number {
  const [block] = asidesOf(quotes, material)
  return block === undefined ? 0 : Math.ceil((measure.count(block.text) + PER_MESSAGE) * material.model.factor) + quotes.length
}

/** What was left out, without the messages that are quoted: everything that was said is on the receipt once. */
export function withoutQuoted(left: readonly LeftOut[], quotes: readonly RecallQuote[]): readonly LeftOut[] {
  const own = quotes.filter(({ chat }) => chat === undefined)
  if (own.length === 0) return left
  const firsts = new Set(own.map(({ seqs }) => seqs[0] ?? 0))
  const named = left.filter(item => item.messages.length > 0 && firsts.has(item.from))
  const keys = new Set(named.flatMap(({ messages }) => messages))
  const unnamed = [...firsts].filter(seq => !named.some(({ from }) => from === seq))
  const folds = left.filter(({ fold }) => fold !== undefined)
  const under = Map.groupBy(unnamed, seq => folds.find(({ from, to }) => from <= seq && seq <= to))
  let more = firsts.size - keys.size - unnamed.length + (under.get(undefined) ?? []).length
  return left.flatMap(item => {
    const recalled = under.get(item)?.length ?? 0
    if (recalled > 0) return recalled === item.more ? [] : [{ ...item, more: (item.more ?? 0) - recalled }]
    // An answer of several steps is left out step by step.
    if (item.messages.length > 0 && item.reason !== 'out.thinking' && item.messages.every(key => keys.has(key))) return []
    if (item.reason !== 'out.window' || item.more === undefined || more === 0) return [item]
    const taken = Math.min(more, item.more)
    more -= taken
    return item.more === taken && item.messages.length === 0 ? [] : [{ ...item, more: item.more - taken }]
  })
}
