/** The ports of the store: small asynchronous interfaces for events, sessions, texts, usage and the rest, and `Log`, which is all of them. */

import type { RunFacts } from '../model/approval.ts'
import type { Event, Fact, Part, Reach, Recorded } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { EventId, ReceiptId, SessionId, TurnId } from '../model/ids.ts'
import type { RecallFrom } from '../model/recall.ts'
import type { Gap, Receipt, WindowState } from '../model/receipt.ts'
import type { Result } from '../model/result.ts'
import type { Session, SessionHit } from '../model/session.ts'
import type { UsageRow } from '../model/usage.ts'
import type { VoiceId } from '../model/voice.ts'
import type { NodePorts } from './node-ports.ts'

/** Milliseconds since 1970; time is handed in, so that a log can be replayed. */
export type Clock = () => number

/** How much a fact adds to its session's running totals. */
export type Weigh = (fact: Fact) => { readonly tokens: number; readonly messages: number }

/** A text that is not part of the conversation but shaped a request; kept once, under its hash. */
export type KeptText = { readonly hash: string; readonly text: string }

export type AppendOptions = {
  /** The last seq the writer has seen; another writer's event in between is a `conflict`. */
  readonly expect?: number
  /** Once per session, for ever: a second append under the same key writes nothing and returns the first one's events. */
  readonly key?: string
  /**
   * One for each fact, in their order. An append whose ids are in the log already writes nothing and returns the events that
   * are there: a writer who got no answer asks again with the same ids. They are kept beside the events, per session, and no
   * reader sees them.
   */
  readonly ids?: readonly EventId[]
  readonly texts?: readonly KeptText[]
  /**
   * The number of the writer's lease on the session; each new lease has a higher one. The store keeps the highest fence it has
   * accepted in an append of the session, also over restarts. An append with a lower one comes from a writer that has lost its
   * lease: it is a `conflict` and writes nothing, even if its key or ids are known. Appends without a fence are not checked.
   */
  readonly fence?: number | undefined
}

export type Appended = {
  readonly events: readonly Recorded[]
  /** True when the key or the ids were known and these are the earlier events. */
  readonly again: boolean
  readonly standing: Standing
}

/** The state of a session: enough to decide what is due without reading its past. */
export type Standing = {
  readonly head: number
  readonly messages: number
  readonly tokens: number
  /** Messages that a voice has not heard yet, oldest first. */
  readonly due: readonly Due[]
  /** How many turns each voice has started, and how many of them it answered to the end. */
  readonly voices: Readonly<Record<VoiceId, VoiceCounts>>
}

/** How many turns a voice has started, and how many of them it answered to the end. */
export type VoiceCounts = { readonly turns: number; readonly answers: number }

/** A message that a voice has not heard; `ANYONE` means the one who answers in the session. */
export type Due = {
  readonly voice: VoiceId
  readonly seq: number
  /** The voices it is for; absent if it is for all. */
  readonly to?: readonly VoiceId[]
}

export const ANYONE: VoiceId = ''

/** What a running reply has said so far; kept beside the log and gone when the reply is in it. */
export type Checkpoint = {
  readonly turn: TurnId
  readonly step: number
  readonly parts: readonly Part[]
  /** Followers are to hear the reply only when it is whole. */
  readonly isUnheard?: true
}

export type OpenTurn = { readonly session: SessionId; readonly turn: TurnId; readonly voice: VoiceId; readonly started: number }

/** Chooses what a fork keeps of a turn that was running where it forks: some of the turn's later events, in order. */
export type KeepEvents = (open: OpenTurn, events: readonly Recorded[]) => readonly Event[]

/** Gives the facts that end a turn which a fork or an import would leave open, from the events it has there. */
export type CloseTurn = (open: OpenTurn, events: readonly Recorded[]) => readonly Fact[]

export type ReadRange = {
  /** Strictly after this seq. */
  readonly after?: number
  /** Up to and including this seq. */
  readonly through?: number
  readonly limit?: number
  /** The page ends early, with the event that reaches so many characters; a caller that wants more asks again after it. */
  readonly size?: number
  /** The last ones within the limit instead of the first; in order all the same. */
  readonly newest?: boolean
  /** `conversation` is what was said, and by which turns: no receipts, approvals or marks. */
  readonly only?: 'turn.started' | 'context.planned' | 'message.marked' | 'history.folded' | 'conversation'
  /** Only the events with these seqs. */
  readonly seqs?: readonly number[]
  readonly turn?: TurnId
}

/** Asks for the last request of a voice and policy before a seq. */
export type RequestQuery = { readonly voice: VoiceId; readonly policy: string; readonly before: number }

/** Which requests of a session are meant. */
export type RequestRange = {
  readonly voice?: VoiceId
  /** Strictly after this seq. */
  readonly after?: number
  /** Strictly before this seq. */
  readonly before?: number
  /** The first ones within the limit instead of the last, and in that order. */
  readonly oldestFirst?: boolean
}

/** Which part of a session a context can use. */
export type PastQuery = {
  readonly from:
    | 'start'
    /** The last `messages` before a seq, or about the last `tokens`, if that is fewer messages. */
    | { readonly messages: number; readonly tokens?: number; readonly before: number }
    /** Back to where about so many tokens of conversation begin, and at least to a seq. */
    | { readonly tokens: number; readonly before?: number }
    | { readonly seq: number }
    /**
     * Where the last request of this voice and policy before a seq began, or further back where fewer than `atLeast` tokens
     * follow; without such a request, by tokens.
     */
    | (RequestQuery & { readonly orTokens: number; readonly atLeast?: number })
  /**
   * Messages and tokens are those of one voice: what it hears and what it says. Where all of that has no more than `whole`
   * tokens, everything is read.
   */
  readonly own?: { readonly voice: VoiceId; readonly whole: number }
  /**
   * At least so many messages before the seq that `from` names are read, however long they are. With a voice, only messages
   * that it could hear are counted, and no excluded ones. Not for a part that begins with a given seq.
   */
  readonly least?: number
  /** Who asks. Gaps then say how many of their messages it could hear: with `own` no answers but its own, else all. */
  readonly voice?: VoiceId
  /** Each message is sent with its time, so that even a blank one can be heard. */
  readonly stamps?: boolean
  /** What was excluded after this seq still counts among what could be heard. */
  readonly marksThrough?: number
  /** Whose last request is asked for, where `from` does not say it; what is read does not depend on it. */
  readonly request?: RequestQuery
  /** The beginning, too: so many messages of it, fewer (but `least`) where they have more than about so many tokens, or up to a seq. */
  readonly head?: { readonly messages: number; readonly least?: number; readonly tokens?: number } | { readonly through: number }
  /** As if nothing had been said after this seq. */
  readonly through?: number
  /** Marks that are not in the log, as if they were its last: what they pin is read as well. */
  readonly marks?: readonly Recorded[]
  /** Facts whose writer does not know whether they are in the log. */
  readonly ids?: readonly EventId[]
  /**
   * Folds up to `through` are read, too, and gaps are split where one of them begins and ends: those that no later fold
   * replaces, and all from the oldest one on that is `shown`, which the last request says if nothing is given here. Where no
   * last request is asked about either, all are read.
   */
  readonly folds?: true | { readonly shown: readonly number[] }
}

/**
 * What was read of a session: the wanted part, everything that a person pinned before it, and the gaps that were not read.
 * Events that say nothing of the conversation (receipts, starts of tools, renames) are left out: they are most of the bytes.
 */
export type Past = {
  readonly events: readonly Recorded[]
  readonly gaps: readonly Gap[]
  readonly begins: number | null
  /** How much the last request of the voice and policy that were asked about showed; null if they made none. */
  readonly last: WindowState | null
  /** What recall could still spend after that request; null if it did not count. */
  readonly lastBalance: number | null
  /** Marks made after this seq did not count for that request. */
  readonly lastMarksThrough: number | null
  /** The folds that were asked for, oldest first. */
  readonly folds: readonly Folded[]
  /** The last seq that was looked at. */
  readonly through: number
  /** Which of the ids that were asked about are in the log up to there. */
  readonly landed: readonly EventId[]
}

/** A reply that is over, with the usage it reported. */
export type EndedReply = Extract<Fact, { type: 'reply.finished' | 'reply.broken' }>

/** The event of a fold. */
export type Folded = Extract<Event, { type: 'history.folded' }>

/** The event of a request that was built. */
export type Planned = Extract<Event, { type: 'context.planned' }>

export type SessionQuery = {
  readonly query?: string
  readonly project?: string
  /** Only forks of this session. */
  readonly parent?: string
  /** Only sessions of one tree: the first session, its forks, and their forks. */
  readonly family?: string
  /** Only those that are put away, or only the others. */
  readonly archived?: boolean
  readonly cursor?: string
  readonly limit: number
}

/** A fact that happened elsewhere, with its time and its weight. */
export type ImportedFact = { readonly fact: Fact; readonly at: string } & ReturnType<Weigh>

/** A piece of a session from elsewhere, with the session as it will be in the end. All pieces of one session come in a row. */
export type ImportedPiece = {
  readonly session: Session
  readonly facts: readonly ImportedFact[]
  readonly texts: readonly KeptText[]
}

/** An import that is under way. Its sessions can be found only when all are complete. After a crash, no part stays. */
export type SessionImport = {
  readonly add: (piece: ImportedPiece) => Promise<Result<null, Fault>>
  /** Ends open turns and makes all sessions visible. None of their messages waits for an answer. */
  readonly publish: (close: CloseTurn) => Promise<Result<null, Fault>>
  readonly abandon: () => Promise<void>
}

/** The account of a request, and where its conversation is, if that is kept. */
export type KeptReceipt = {
  readonly receipt: Receipt
  readonly session?: SessionId
  readonly turn?: TurnId
  readonly step?: number
}

export type UsageQuery = {
  /** Only of this session; without one, of all there are and were. */
  readonly session?: SessionId
  /** From this ISO date or time on. */
  readonly since?: string
}

/** What a person allowed beyond one call: a tool in exactly this form, in one session or (null) in every one. */
export type Grant = {
  readonly tool: string
  /** The hash of everything the answer is bound to. */
  readonly binding: string
  readonly session: SessionId | null
  /** What the person was shown, for people who look at the list. */
  readonly facts: RunFacts
}

/** A grant that is kept. */
export type KeptGrant = Grant & { readonly id: string; readonly at: string }

/** Appends facts to a session and reads its events. What `append` has acknowledged survives a crash of the machine. */
export type EventLog = {
  /** All facts or none. */
  readonly append: (id: SessionId, facts: readonly Fact[], options?: AppendOptions) => Promise<Result<Appended, Fault>>
  readonly read: (id: SessionId, range?: ReadRange) => Promise<Result<readonly Recorded[], Fault>>
  readonly standing: (id: SessionId) => Promise<Result<Standing, Fault>>
  /** What a context can use, in one go. */
  readonly past: (id: SessionId, query: PastQuery) => Promise<Result<Past, Fault>>
  /** Requests, newest first unless the range says otherwise; those of one voice are found however much others asked. */
  readonly planned: (id: SessionId, most: number, range?: RequestRange) => Promise<Result<readonly Planned[], Fault>>
  /** How many turns a voice had started by a seq, and how many of them it had answered to the end. */
  readonly voiceAt: (id: SessionId, voice: VoiceId, through: number) => Promise<Result<VoiceCounts, Fault>>
}

/** Opens, forks and removes sessions. */
export type SessionStore = {
  readonly open: (session: Session) => Promise<Result<Session, Fault>>
  readonly session: (id: SessionId) => Promise<Result<Session, Fault>>
  /**
   * Opens a session that begins with the events of another, up to and including a seq, and with what `keep` chooses of the
   * turns that were running there. `close` ends the turns that are still open then. Keys, ids, fences, checkpoints and usage are
   * not copied. The fork cannot be found before it is complete.
   */
  readonly fork: (
    from: SessionId,
    at: number,
    session: Session,
    close: CloseTurn,
    keep?: KeepEvents,
  ) => Promise<Result<Session, Fault>>
  /** For good, with every trace of its text. Its usage is still counted, without the session's id. */
  readonly remove: (id: SessionId) => Promise<Result<null, Fault>>
}

/** Lists and finds sessions. */
export type SessionSearch = {
  /** Newest first; with a query, those whose title or messages match. */
  readonly sessions: (query: SessionQuery) => Promise<Result<{ items: readonly SessionHit[]; next: string | null }, Fault>>
}

/** Finds the work that a crash or a busy lane left to do. */
export type OpenWork = {
  /** Turns without an end, in one session or in any. */
  readonly openTurns: (session?: SessionId) => Promise<Result<readonly OpenTurn[], Fault>>
  /** Sessions with a message that no turn has heard. */
  readonly waiting: () => Promise<Result<readonly SessionId[], Fault>>
}

/** Keeps what running replies have said so far. */
export type Checkpoints = {
  /** With a fence lower than the session's it is refused, as an append is. */
  readonly checkpoint: (id: SessionId, checkpoint: Checkpoint, fence?: number) => Promise<Result<null, Fault>>
  readonly checkpoints: (id: SessionId) => Promise<Result<readonly Checkpoint[], Fault>>
}

/** Reads the texts that were kept with appends and imports. */
export type Texts = {
  readonly texts: (hashes: readonly string[]) => Promise<Result<ReadonlyMap<string, string>, Fault>>
  /** The texts that a session uses, by hash: at most so many, those after a hash (`''` for the first page). */
  readonly textsOf: (id: SessionId, after: string, limit: number) => Promise<Result<readonly KeptText[], Fault>>
}

/** Adds up what replies used. */
export type UsageTotals = {
  /** What replies used, as they were appended: by day, then by model. */
  readonly usage: (query: UsageQuery) => Promise<Result<readonly UsageRow[], Fault>>
}

/** Keeps by how much each model's own token count differs from ours. */
export type TokenFactors = {
  readonly factors: () => Promise<Result<ReadonlyMap<string, number>, Fault>>
  readonly learn: (model: string, factor: number) => Promise<Result<null, Fault>>
}

/** Finds receipts by id, and keeps those of stateless requests. */
export type Receipts = {
  /** Keeps the receipt of a request whose conversation is not kept, replaces an earlier one of its id, and counts the reply's usage. */
  readonly account: (receipt: Receipt, reply?: EndedReply) => Promise<Result<null, Fault>>
  /** The receipt of any request. */
  readonly receipt: (id: ReceiptId) => Promise<Result<KeptReceipt, Fault>>
}

/** Keeps what a channel must not forget, such as which chat is which session. Ids and numbers, never what was said. */
export type ChannelState = {
  /** A value of null forgets the key. */
  readonly remember: (channel: string, key: string, value: string | null) => Promise<Result<null, Fault>>
  /** Everything under keys with this prefix, by key. */
  readonly remembered: (channel: string, prefix: string) => Promise<Result<ReadonlyMap<string, string>, Fault>>
}

/**
 * Keeps what people allowed, beside the log and never read from it: events can be imported, forked and restored, and none
 * of that is a person's word. A session's grants go with the session.
 */
export type Grants = {
  /** The same grant twice is one. A session that is not there cannot be given any. */
  readonly add: (grant: Grant) => Promise<Result<null, Fault>>
  /** Whether a tool in this form is allowed: everywhere, or in this session. */
  readonly has: (tool: string, binding: string, session: SessionId | null) => Promise<Result<boolean, Fault>>
  /** Oldest first. */
  readonly list: () => Promise<Result<readonly KeptGrant[], Fault>>
  /** Takes a grant back; `not-found` where there is none of that id. */
  readonly remove: (id: string) => Promise<Result<null, Fault>>
}

/** Takes in sessions from elsewhere. What they used was not used here and is not counted. */
export type Importer = {
  readonly startImport: () => Promise<Result<SessionImport, Fault>>
}

/** How far the recall index of a session is filled. Postings are complete for passages below `flushed`. */
export type RecallState = {
  /** The last seq that was looked at. */
  readonly indexedThrough: number
  readonly messages: number
  readonly passages: number
  readonly flushed: number
  /** The version of the rules that made the rows; rows of another version are made anew. */
  readonly version: number
  /** The hash of the word vectors that were used; null if there were none. */
  readonly vectors: string | null
  /** The encoder that makes vectors of whole messages, and the seq up to which all have one. */
  readonly encoder: { readonly model: string; readonly through: number } | null
}

/** Where a term occurs, in one segment of a session's passages: how often, in which passage last, and all of them as bytes. */
export type PostingRow = {
  readonly term: string
  readonly segment: number
  readonly count: number
  readonly last: number
  readonly body: Uint8Array
}

/** What a block of the recall index has: facts about messages, words that are not in postings yet, vectors, or which messages were replaced. */
export type RecallBlockKind = 'messages' | 'terms' | 'vectors' | 'encoded' | 'replaced'

/** Some neighbouring messages of a session, as bytes. */
export type RecallBlock = { readonly kind: RecallBlockKind; readonly number: number; readonly body: Uint8Array }

/** New rows of a recall index, and how far it is filled with them. A body of null removes the block. */
export type RecallChange = {
  readonly state: RecallState
  readonly postings?: readonly PostingRow[]
  readonly blocks?: readonly (Omit<RecallBlock, 'body'> & { readonly body: Uint8Array | null })[]
}

/**
 * All postings of some sessions in columns: five numbers of each row (the place of its session among those that were asked for,
 * the place of its term, count, segment, length of the body), each term once, and all bodies. Rows come session by session, and
 * those of one term by segment.
 */
export type AllPostings = {
  readonly terms: readonly string[]
  readonly numbers: Float64Array
  readonly bodies: Uint8Array
}

/** Blocks of one session, by their numbers. */
export type WantedBlocks = { readonly id: SessionId; readonly numbers: readonly number[] }

/**
 * Keeps the recall index of each session: rows that are derived from its events and can be made again. What they mean is no
 * business of the store. They go with their session.
 */
export type RecallStore = {
  /** Undefined if nothing of the session was indexed yet. */
  readonly state: (id: SessionId) => Promise<Result<RecallState | undefined, Fault>>
  /** All rows of these terms, by term, then by segment; only from a segment on where one is given. */
  readonly postings: (id: SessionId, terms: readonly string[], from?: number) => Promise<Result<readonly PostingRow[], Fault>>
  /** Blocks by their numbers, in that order; those that are not there are left out. */
  readonly blocks: (
    id: SessionId,
    kind: RecallBlockKind,
    numbers: readonly number[],
  ) => Promise<Result<readonly RecallBlock[], Fault>>
  /** The states of many sessions. Of one that is gone or has no index there is none, here and in what follows. */
  readonly states: (ids: readonly SessionId[]) => Promise<Result<ReadonlyMap<SessionId, RecallState>, Fault>>
  /** Everything that the postings of some sessions have. */
  readonly allPostings: (ids: readonly SessionId[]) => Promise<Result<AllPostings, Fault>>
  /** Blocks of many sessions at once: a list for each that was asked for. */
  readonly blocksOf: (
    kind: RecallBlockKind,
    wanted: readonly WantedBlocks[],
  ) => Promise<Result<readonly (readonly RecallBlock[])[], Fault>>
  /** The seqs of messages that a person excluded, of each session that has some. */
  readonly excluded: (ids: readonly SessionId[]) => Promise<Result<ReadonlyMap<SessionId, readonly number[]>, Fault>>
  /** Writes rows, each in place of an earlier one, all or none. A session that is gone gets none: `not-found`. */
  readonly write: (id: SessionId, change: RecallChange) => Promise<Result<null, Fault>>
  /** Forgets everything that was indexed of a session, so that it can be indexed anew. */
  readonly clear: (id: SessionId) => Promise<Result<null, Fault>>
  /** Sessions with events that were not looked at yet, or with rows of another version or other vectors; last used first. */
  readonly behind: (made: Pick<RecallState, 'version' | 'vectors'>, limit: number) => Promise<Result<readonly SessionId[], Fault>>
  /** How much the index of all sessions takes. */
  readonly size: () => Promise<Result<{ readonly sessions: number; readonly messages: number; readonly bytes: number }, Fault>>
}

/** A message that is pinned now, and where its pin counts. `seq` is the mark's own. */
export type KeptPin = {
  readonly kind: 'pin'
  readonly session: SessionId
  readonly seq: number
  readonly target: number
  readonly reach: Reach
  readonly at: string
}

/** A fold that counts now: neither removed nor replaced. */
export type KeptFold = { readonly kind: 'fold'; readonly session: SessionId; readonly seq: number; readonly at: string }

/** A session that others may be quoted from. */
export type SourceSession = Pick<Session, 'id' | 'title' | 'preview' | 'parent' | 'family'>

/** Finds what is remembered beyond one session: pins and folds, and the sessions that others may be quoted from. */
export type MemoryStore = {
  /** All pins and folds that count now, newest first. */
  readonly list: (query: {
    readonly cursor?: string
    readonly limit: number
  }) => Promise<Result<{ readonly items: readonly (KeptPin | KeptFold)[]; readonly next: string | null }, Fault>>
  /**
   * The pins of other sessions that count in this one, oldest first: everywhere, or in its project. Private sessions and those
   * of councils give none; of a message that several forks share only the oldest session's pin counts.
   */
  readonly pinsFor: (id: SessionId, limit: number) => Promise<Result<readonly KeptPin[], Fault>>
  /** The other sessions that this one may be quoted from, last used first: neither private ones nor those of councils. */
  readonly sources: (
    id: SessionId,
    from: Exclude<RecallFrom, 'session'>,
    limit: number,
  ) => Promise<Result<readonly SourceSession[], Fault>>
}

/** Copies the whole store into one file, while everything goes on. */
export type Backup = {
  readonly backup: (file: string) => Promise<Result<null, Fault>>
}

/** A whole store: every port together. Ordinary trouble comes back as a fault; nothing here throws for it. */
export type Log = EventLog &
  SessionStore &
  SessionSearch &
  OpenWork &
  Checkpoints &
  Texts &
  UsageTotals &
  TokenFactors &
  Receipts &
  ChannelState &
  Importer &
  Backup & {
    readonly grants: Grants
    readonly recall: RecallStore
    readonly memory: MemoryStore
    /** What several nodes on one store need; absent where the store has one user only. */
    readonly nodes?: NodePorts
    readonly close: () => Promise<void>
  }
