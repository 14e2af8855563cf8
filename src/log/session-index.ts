/** Decides which part of a session a context can use, by questions that any store can answer from its indexes. */

import { type FactType, isExcluding, type Mark, type Recorded } from '../model/event.ts'
import type { EventId, TurnId } from '../model/ids.ts'
import type { Gap } from '../model/receipt.ts'
import type { VoiceId } from '../model/voice.ts'
import { type Hearer, hearableIn } from './hearable.ts'
import type { Folded, Past, PastQuery, Planned, RequestQuery } from './ports.ts'

/** Events no context is made of. */
export const ASIDE_TYPES: readonly FactType[] = [
  'context.planned',
  'tool.started',
  'approval.asked',
  'approval.answered',
  'session.changed',
]

/**
 * What a store must answer about one session, in a time that does not depend on its length. A question that fails throws: the
 * store that asked catches it.
 */
export type SessionIndex = {
  readonly head: number
  /** Messages and tokens up to and including a seq. */
  readonly totals: (seq: number) => Promise<{ readonly messages: number; readonly tokens: number }>
  /** Where the n-th message begins. */
  readonly beginOf: (message: number) => Promise<number | undefined>
  /** Where the first message begins after so many tokens. */
  readonly beginAfterTokens: (tokens: number) => Promise<number | undefined>
  /** The newest request before a seq that `isUsableRequest` accepts; a store may stop looking after some hundred requests. */
  readonly lastRequest: (wanted: RequestQuery) => Promise<Planned | undefined>
  readonly marks: (through: number) => Promise<readonly Recorded[]>
  /** The folds up to a seq that no later one up to there replaces, and all from `since` on. */
  readonly folds: (through: number, since: number) => Promise<readonly Recorded[]>
  /** Without the types that no context is made of. */
  readonly range: (after: number, through: number) => Promise<readonly Recorded[]>
  /** The starts of turns that had begun before a seq and went on from there: only they say whose words follow. */
  readonly startsBefore: (first: number, through: number) => Promise<readonly Recorded[]>
  readonly ofTurn: (turn: TurnId) => Promise<readonly Recorded[]>
  /** The last event of all turns that have one up to a seq. */
  readonly endOfTurns: (through: number) => Promise<number>
  /** The newest events up to a seq, newest first, at most so many. */
  readonly backwards: (through: number, most: number) => Promise<readonly EventTrace[]>
  /** Where the fact of this id is. */
  readonly seqOf: (id: EventId) => Promise<number | undefined>
  /** Whether a message begins with this event. */
  readonly begins: (event: Recorded) => Promise<boolean>
  /** For each of some ranges, how many messages that begin in it `hearableIn` finds in the events up to a seq. */
  readonly hearable: (ranges: readonly Range[], hearer: Hearer, through: number) => Promise<readonly number[]>
  /** The events up to a seq that decide whether the messages with these seqs in them can be heard. */
  readonly deciding: (seqs: readonly number[], through: number) => Promise<readonly Recorded[]>
}

/** From a seq to another, both included. */
export type Range = Pick<Gap, 'from' | 'to'>

/** What an event weighs, and whose turn it starts if it starts one. */
export type EventTrace = {
  readonly seq: number
  readonly type: string
  readonly turn: string | null
  readonly tokens: number
  readonly begins: number
  readonly voice: string | null
}

/** A past without the events from `first` on, for a store that has its own way of reading those. */
export type PastFrame = Omit<Past, 'events'> & { readonly earlier: readonly Recorded[]; readonly first: number }

/** Finds what a context can use: the wanted end, the beginning where that is wanted too, and what a person pinned in between. */
export async function pastOf(index: SessionIndex, query: PastQuery): Promise<Past> {
  const { earlier, first, ...frame } = await pastFrame(index, query)
  return { ...frame, events: [...earlier, ...(await index.range(first - 1, frame.through))] }
}

/** The same without the wanted end itself. */
export async function pastFrame(index: SessionIndex, query: PastQuery): Promise<PastFrame> {
  const through = Math.min(query.through ?? index.head, index.head)
  const [marks, last] = await Promise.all([index.marks(through), lastOf(index, query, through)])
  const folds = await foldsOf(index, query, last, through)
  const allMarks = [...marks, ...(query.marks ?? [])]
  const hearing = hearingOf(query, allMarks, through)
  const { first, begins } = await startOf(index, query, last, hearing, through)
  const [endOfBeginning, starts, landed] = await Promise.all([
    endOfHead(index, query),
    index.startsBefore(first, through),
    landedIds(index, query.ids ?? [], through),
  ])
  const headEnd = Math.min(endOfBeginning, first - 1)
  const pinned = await pinnedBetween(index, allMarks, headEnd, first)
  const [beginning, gaps] = await Promise.all([index.range(0, headEnd), gapsOf(index, headEnd, first, folds, pinned, hearing)])
  const between = [...marks, ...starts].filter(event => event.seq > headEnd && event.seq < first)
  const extras = [...new Map([...between, ...pinned].map(event => [event.seq, event])).values()].sort((a, b) => a.seq - b.seq)
  const { window = null, inputs, recall } = last?.receipt ?? {}
  const lasting = { last: window, lastBalance: recall?.balance ?? null, lastMarksThrough: inputs?.marksThrough ?? null }
  return { earlier: [...beginning, ...extras], first, gaps, begins, ...lasting, folds, through, landed }
}

/** Whether a request says where a window of this voice and policy began: it was built from its whole past. */
export function isUsableRequest({ receipt }: Planned, voice: VoiceId, policy: string): boolean {
  return receipt.voice === voice && receipt.policy === policy && receipt.degraded === null && receipt.inputs.isBare !== true
}

async function landedIds(index: SessionIndex, ids: readonly EventId[], through: number): Promise<readonly EventId[]> {
  const seqs = await Promise.all(ids.map(id => index.seqOf(id)))
  return ids.filter((_, place) => (seqs[place] ?? Number.POSITIVE_INFINITY) <= through)
}

/** The request that is asked about, if one is. */
const askedOf = ({ from, request }: PastQuery): RequestQuery | undefined =>
  typeof from === 'object' && 'policy' in from ? from : request

async function lastOf(index: SessionIndex, query: PastQuery, through: number): Promise<Planned | undefined> {
  const asked = askedOf(query)
  if (asked === undefined) return undefined
  const { voice, policy, before } = asked
  return index.lastRequest({ voice, policy, before: Math.min(before, through + 1) })
}

async function foldsOf(
  index: SessionIndex,
  query: PastQuery,
  last: Planned | undefined,
  through: number,
): Promise<readonly Folded[]> {
  const { folds: wanted } = query
  if (wanted === undefined) return []
  const isAll = wanted === true && askedOf(query) === undefined
  const shown = wanted === true ? (last?.receipt.window.folds ?? []) : wanted.shown
  const since = isAll ? 0 : shown.reduce((least, seq) => Math.min(least, seq), Number.MAX_SAFE_INTEGER)
  const events = await index.folds(through, since)
  return events.flatMap(event => (event.type === 'history.folded' ? [event] : []))
}

/** Who asks what it could have heard, and what a person had excluded by then. */
type Hearing = { readonly hearer: Hearer; readonly excluded: ReadonlySet<number>; readonly through: number }

function hearingOf(
  { voice, own, stamps = false, marksThrough = Number.POSITIVE_INFINITY }: PastQuery,
  marks: readonly Recorded[],
  through: number,
): Hearing | null {
  if (voice === undefined) return null
  const excluded = markedAs(
    isExcluding,
    marks.filter(({ seq }) => seq <= marksThrough),
  )
  return { hearer: { voice, isOwn: own !== undefined, stamps }, excluded: new Set(excluded), through }
}

/** The seqs that have a mark in the end. */
function markedAs(isWanted: (mark: Mark | null) => boolean, marks: readonly Recorded[]): readonly number[] {
  const last = new Map<number, Mark | null>()
  for (const event of marks) if (event.type === 'message.marked') last.set(event.target, event.mark)
  return [...last].flatMap(([target, now]) => (isWanted(now) ? [target] : []))
}

/** How many messages of each range can be heard, without excluded ones and those that were read in spite of the gap. */
async function hearableOf(
  index: SessionIndex,
  wanted: readonly Range[],
  { hearer, excluded, through }: Hearing,
  read: readonly Recorded[] = [],
): Promise<readonly number[]> {
  const ranges = wanted.map(({ from, to }) => ({ from, to: Math.min(to, through) }))
  const apart = [...excluded, ...read.map(({ seq }) => seq)]
  const [all, events] = await Promise.all([
    index.hearable(ranges, hearer, through),
    apart.length === 0 ? [] : index.deciding(apart, through),
  ])
  const areRead = new Set(read.map(({ seq }) => seq))
  const without = hearableIn(events, hearer)
    .filter(({ begins, seqs }) => areRead.has(begins) || seqs.some(seq => excluded.has(seq)))
    .map(({ begins }) => begins)
  return ranges.map((range, place) => (all[place] ?? 0) - countWithin(range, without))
}

/** How many of some seqs a range has. */
export const countWithin = ({ from, to }: Range, seqs: readonly number[]): number =>
  seqs.filter(seq => seq >= from && seq <= to).length

type Start = { readonly first: number; readonly begins: number | null }

async function startOf(
  index: SessionIndex,
  { from, own, least = 0 }: PastQuery,
  last: Planned | undefined,
  hearing: Hearing | null,
  through: number,
): Promise<Start> {
  if (from === 'start') return { first: 1, begins: null }
  if ('seq' in from) return { first: Math.max(1, from.seq), begins: from.seq }
  // The message that is answered is read in any case.
  const atMost = Math.min(from.before ?? through + 1, through + 1)
  const leastFirst = await firstOfLeast(index, least, hearing, atMost)
  if ('messages' in from) {
    const { messages, tokens = Number.POSITIVE_INFINITY } = from
    if (own !== undefined) {
      const first = await ownFirst(index, own, { messages, tokens }, atMost - 1)
      return { first: Math.min(first, leastFirst), begins: null }
    }
    const [byMessages, byTotal] = await Promise.all([
      firstByMessages(index, messages, atMost),
      firstByTokens(index, tokens, atMost - 1),
    ])
    return { first: Math.min(Math.max(byMessages, Math.min(byTotal, atMost)), leastFirst), begins: null }
  }
  const byTotal = async (tokens: number): Promise<number> => {
    const first = await (own === undefined ? firstByTokens(index, tokens, through) : ownFirst(index, own, { tokens }, through))
    return Math.min(first, atMost, leastFirst)
  }
  if ('tokens' in from) return { first: await byTotal(from.tokens), begins: null }
  const begins = last?.receipt.window.begins ?? null
  if (begins === null) return { first: await byTotal(from.orTokens), begins }
  const enough = from.atLeast === undefined ? begins : await byTotal(from.atLeast)
  return { first: Math.min(begins, enough, leastFirst), begins }
}

/** How many messages are looked at for the least ones: where a voice hears next to nothing, the session is not read whole. */
const MOST_LOOKED_AT = 512

/** Where the least messages begin that are read in any case; beyond everything if there are none. */
async function firstOfLeast(index: SessionIndex, least: number, hearing: Hearing | null, atMost: number): Promise<number> {
  if (least <= 0) return Number.POSITIVE_INFINITY
  for (let messages = least; messages <= Math.max(least, MOST_LOOKED_AT); messages *= 2) {
    const first = await firstByMessages(index, messages, atMost)
    if (first <= 1 || hearing === null) return first
    const [found = 0] = await hearableOf(index, [{ from: first, to: atMost - 1 }], hearing)
    if (found >= least) return first
  }
  return firstByMessages(index, least, atMost)
}

async function firstByMessages(index: SessionIndex, messages: number, atMost: number): Promise<number> {
  const skip = (await index.totals(atMost - 1)).messages - messages
  return skip <= 0 ? 1 : ((await index.beginOf(skip + 1)) ?? atMost)
}

async function firstByTokens(index: SessionIndex, tokens: number, through: number): Promise<number> {
  const { tokens: total } = await index.totals(through)
  return total <= tokens ? 1 : ((await index.beginAfterTokens(total - tokens)) ?? through + 1)
}

/** How far back a voice is looked for: others may have said much more than it heard. */
const MOST_WALKED = 20_000
/** How many events are read at once on the way back: few at first, since most windows are short. */
const FIRST_PAGE = 128
const LONGEST_PAGE = 2048

/** Every event up to a seq, newest first, in pages. */
async function* pagesBack(index: SessionIndex, through: number): AsyncGenerator<readonly EventTrace[]> {
  let next = through
  for (let most = FIRST_PAGE; next > 0; most = Math.min(most * 2, LONGEST_PAGE)) {
    const page = await index.backwards(next, most)
    yield page
    next = page.length < most ? 0 : (page.at(-1)?.seq ?? 1) - 1
  }
}

/** Where as much begins as a voice wants of what it heard and said; what others said costs it nothing. */
async function ownFirst(
  index: SessionIndex,
  { voice, whole }: NonNullable<PastQuery['own']>,
  { messages: wantedMessages = Number.POSITIVE_INFINITY, tokens: wantedTokens = Number.POSITIVE_INFINITY }: OwnWish,
  through: number,
): Promise<number> {
  const most = wantedMessages === Number.POSITIVE_INFINITY ? whole : Number.POSITIVE_INFINITY
  const open = new Map<string, { tokens: number; messages: number }>()
  let [tokens, messages, walked] = [0, 0, 0]
  let first: number | undefined
  let begins = through + 1
  for await (const page of pagesBack(index, through)) {
    for (const trace of page) {
      walked += 1
      if (trace.type === 'message.received') {
        tokens += trace.tokens
        messages += 1
        begins = trace.seq
      } else if (trace.turn !== null) {
        // Whose words they are is known at the start of their turn, which comes last on this way.
        const said = open.get(trace.turn) ?? { tokens: 0, messages: 0 }
        open.set(trace.turn, { tokens: said.tokens + trace.tokens, messages: said.messages + trace.begins })
        if (trace.voice === voice) {
          tokens += said.tokens
          messages += said.messages
        }
      }
      const isEnough = tokens >= wantedTokens || messages >= wantedMessages
      if (isEnough && trace.type === 'message.received') first ??= begins
      if ((first !== undefined && (most === Number.POSITIVE_INFINITY || tokens > most)) || walked >= MOST_WALKED)
        return first ?? begins
    }
  }
  return 1
}

type OwnWish = { readonly messages?: number; readonly tokens?: number }

/** The end of the beginning; a turn that began in it belongs to it whole. */
async function endOfHead(index: SessionIndex, { head }: PastQuery): Promise<number> {
  if (head === undefined) return 0
  if ('through' in head) return head.through
  const { messages, least = messages, tokens = Number.MAX_SAFE_INTEGER } = head
  const beyond = await index.beginAfterTokens(tokens)
  const within = beyond === undefined ? messages : (await index.totals(beyond)).messages
  const next = await index.beginOf(Math.max(least, Math.min(messages, within)) + 1)
  if (next === undefined) return index.head
  return Math.max(next - 1, await index.endOfTurns(next - 1))
}

/** Pinned messages that would not be read otherwise: what was received, or the whole turn of a reply. */
async function pinnedBetween(
  index: SessionIndex,
  marks: readonly Recorded[],
  after: number,
  before: number,
): Promise<readonly Recorded[]> {
  const targets = markedAs(mark => mark === 'pin', marks).filter(target => target > after && target < before)
  const found = await Promise.all(targets.map(target => index.range(target - 1, target)))
  const whole = await Promise.all(found.flat().map(event => ('turn' in event ? index.ofTurn(event.turn) : [event])))
  const events = new Map(whole.flat().map(event => [event.seq, event]))
  return [...events.values()].filter(event => event.seq > after && event.seq < before)
}

/** What was not read, in pieces that begin and end where a fold does. */
async function gapsOf(
  index: SessionIndex,
  headEnd: number,
  first: number,
  folds: readonly Folded[],
  pinned: readonly Recorded[],
  hearing: Hearing | null,
): Promise<readonly Gap[]> {
  if (first - 1 <= headEnd) return []
  const edges = new Set(folds.flatMap(({ from, to }) => [from, to + 1]).filter(edge => edge > headEnd + 1 && edge < first))
  const begins = [headEnd + 1, ...[...edges].sort((a, b) => a - b)]
  const ranges = begins.map((from, place) => ({ from, to: (begins[place + 1] ?? first) - 1 }))
  const [totals, hearable, areBegins] = await Promise.all([
    Promise.all([headEnd, ...ranges.map(({ to }) => to)].map(seq => index.totals(seq))),
    hearing === null ? undefined : hearableOf(index, ranges, hearing, pinned),
    Promise.all(pinned.map(event => index.begins(event))),
  ])
  const read = pinned.flatMap(({ seq }, place) => (areBegins[place] === true ? [seq] : []))
  return ranges.map((range, place) => {
    const messages = (totals[place + 1]?.messages ?? 0) - (totals[place]?.messages ?? 0) - countWithin(range, read)
    return { ...range, messages, ...(hearable === undefined ? {} : { hearable: hearable[place] ?? 0 }) }
  })
}
