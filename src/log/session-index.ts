import type { FactType, Recorded } from '../model/event.ts'
import type { EventId, TurnId } from '../model/ids.ts'
import type { Gap } from '../model/receipt.ts'
import type { Past, PastQuery, Planned } from './ports.ts'

/** Events no context is made of. */
export const ASIDE_TYPES: readonly FactType[] = [
  'context.planned',
  'tool.started',
  'approval.asked',
  'approval.answered',
  'session.changed',
]

/** What a store can answer about one session by index, whatever its length. */
export type Shelf = {
  readonly head: number
  /** Messages and tokens up to and including a seq. */
  readonly totals: (seq: number) => { readonly messages: number; readonly tokens: number }
  /** Where the n-th message begins. */
  readonly beginOf: (message: number) => number | undefined
  /** Where the first message begins after so many tokens. */
  readonly beginAfterTokens: (tokens: number) => number | undefined
  /** Requests before a seq, newest first; those of other policies may be left out. */
  readonly plannedBefore: (seq: number, policy: string) => Iterable<Planned>
  readonly marks: (through: number) => readonly Recorded[]
  /** Without the types that no context is made of. */
  readonly range: (after: number, through: number) => readonly Recorded[]
  /** The starts of turns that had begun before a seq and went on from there: only they say whose words follow. */
  readonly startsBefore: (first: number, through: number) => readonly Recorded[]
  readonly ofTurn: (turn: TurnId) => readonly Recorded[]
  /** The last event of all turns that have one up to a seq. */
  readonly endOfTurns: (through: number) => number
  /** Every event up to a seq, the last one first. */
  readonly backwards: (through: number) => Iterable<Trace>
  /** Where the fact of this id is. */
  readonly seqOf: (id: EventId) => number | undefined
  /** Whether a message begins with this event. */
  readonly begins: (event: Recorded) => boolean
}

/** What an event weighs, and whose turn it starts if it starts one. */
export type Trace = {
  readonly seq: number
  readonly type: string
  readonly turn: string | null
  readonly tokens: number
  readonly begins: number
  readonly voice: string | null
}

/** Where the wanted end of a session begins, and all that a context can use from before it. */
export type Frame = Omit<Past, 'events'> & { readonly earlier: readonly Recorded[]; readonly first: number }

/** Finds what a context can use: the wanted end, the beginning where that is wanted too, and what a person pinned in between. */
export function pastOf(shelf: Shelf, want: PastQuery): Past {
  const { earlier, first, ...frame } = frameOf(shelf, want)
  return { ...frame, events: [...earlier, ...shelf.range(first - 1, frame.through)] }
}

/** The same without the wanted end itself, for a store that has its own way of reading that. */
export function frameOf(shelf: Shelf, want: PastQuery): Frame {
  const through = Math.min(want.through ?? shelf.head, shelf.head)
  const { first, begins } = startOf(shelf, want, through)
  const headEnd = Math.min(endOfHead(shelf, want), first - 1)
  const marks = shelf.marks(through)
  const pinned = pinnedBetween(shelf, [...marks, ...(want.marks ?? [])], headEnd, first)
  const between = [...marks, ...shelf.startsBefore(first, through)].filter(event => event.seq > headEnd && event.seq < first)
  const extras = [...new Map([...between, ...pinned].map(event => [event.seq, event])).values()].sort((a, b) => a.seq - b.seq)
  return {
    earlier: [...shelf.range(0, headEnd), ...extras],
    first,
    gaps: gapsOf(shelf, headEnd, first, pinned),
    begins,
    through,
    landed: (want.ids ?? []).filter(id => (shelf.seqOf(id) ?? Number.POSITIVE_INFINITY) <= through),
  }
}

function startOf(
  shelf: Shelf,
  { from, own }: PastQuery,
  through: number,
): { readonly first: number; readonly begins: number | null } {
  if (from === 'start') return { first: 1, begins: null }
  if ('seq' in from) return { first: Math.max(1, from.seq), begins: from.seq }
  // Whatever it takes: the message that is answered is read.
  const atMost = Math.min(from.before ?? through + 1, through + 1)
  if ('messages' in from) {
    const { messages, tokens = Number.POSITIVE_INFINITY } = from
    if (own !== undefined) return { first: ownFirst(shelf, own, { messages, tokens }, atMost - 1), begins: null }
    const skip = shelf.totals(atMost - 1).messages - messages
    const byMessages = skip <= 0 ? 1 : (shelf.beginOf(skip + 1) ?? atMost)
    return { first: Math.max(byMessages, Math.min(byTokens(shelf, tokens, atMost - 1), atMost)), begins: null }
  }
  const byTotal = (tokens: number): number =>
    Math.min(own === undefined ? byTokens(shelf, tokens, through) : ownFirst(shelf, own, { tokens }, through), atMost)
  if ('tokens' in from) return { first: byTotal(from.tokens), begins: null }
  const last = lastOf(shelf, from, through)
  return last === undefined ? { first: byTotal(from.orTokens), begins: null } : { first: last, begins: last }
}

function byTokens(shelf: Shelf, tokens: number, through: number): number {
  const total = shelf.totals(through).tokens
  return total <= tokens ? 1 : (shelf.beginAfterTokens(total - tokens) ?? through + 1)
}

/** How far back a voice is looked for: others may have said much more than it heard. */
const MOST_WALKED = 20_000

/** Where as much begins as a voice wants of what it heard and said; what others said costs it nothing. */
function ownFirst(
  shelf: Shelf,
  { voice, whole }: NonNullable<PastQuery['own']>,
  { messages: wantedMessages = Number.POSITIVE_INFINITY, tokens: wantedTokens = Number.POSITIVE_INFINITY }: OwnWish,
  through: number,
): number {
  const most = wantedMessages === Number.POSITIVE_INFINITY ? whole : Number.POSITIVE_INFINITY
  const open = new Map<string, { tokens: number; messages: number }>()
  let [tokens, messages, walked] = [0, 0, 0]
  let first: number | undefined
  let begins = through + 1
  for (const trace of shelf.backwards(through)) {
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
  return 1
}

type OwnWish = { readonly messages?: number; readonly tokens?: number }

/** Where the newest sound request of a voice and policy began. */
function lastOf(
  shelf: Shelf,
  { voice, policy, before }: Extract<PastQuery['from'], { voice: string }>,
  through: number,
): number | undefined {
  for (const { receipt, seq } of shelf.plannedBefore(Math.min(before, through + 1), policy)) {
    const isSound = receipt.degraded === null && receipt.inputs.isBare !== true
    if (seq > through || receipt.voice !== voice || receipt.policy !== policy || !isSound) continue
    return receipt.window.begins ?? undefined
  }
  return undefined
}

/** The end of the beginning; a turn that began in it belongs to it whole. */
function endOfHead(shelf: Shelf, { head }: PastQuery): number {
  if (head === undefined) return 0
  if ('through' in head) return head.through
  const { messages, least = messages, tokens = Number.MAX_SAFE_INTEGER } = head
  const beyond = shelf.beginAfterTokens(tokens)
  const within = beyond === undefined ? messages : shelf.totals(beyond).messages
  const next = shelf.beginOf(Math.max(least, Math.min(messages, within)) + 1)
  if (next === undefined) return shelf.head
  return Math.max(next - 1, shelf.endOfTurns(next - 1))
}

/** Pinned messages that would not be read otherwise: what was received, or the whole turn of a reply. */
function pinnedBetween(shelf: Shelf, marks: readonly Recorded[], after: number, before: number): readonly Recorded[] {
  const pins = new Map<number, boolean>()
  for (const event of marks) if (event.type === 'message.marked') pins.set(event.target, event.mark === 'pin')
  const targets = [...pins].flatMap(([target, isPinned]) => (isPinned && target > after && target < before ? [target] : []))
  const events = targets
    .flatMap(target => shelf.range(target - 1, target))
    .flatMap(event => ('turn' in event ? shelf.ofTurn(event.turn) : [event]))
  return [...new Map(events.map(event => [event.seq, event])).values()].filter(event => event.seq > after && event.seq < before)
}

function gapsOf(shelf: Shelf, headEnd: number, first: number, pinned: readonly Recorded[]): readonly Gap[] {
  if (first - 1 <= headEnd) return []
  const between = shelf.totals(first - 1).messages - shelf.totals(headEnd).messages
  return [{ from: headEnd + 1, to: first - 1, messages: between - pinned.filter(shelf.begins).length }]
}
