/** The verbs of Turnwise: `createEngine` joins the rooms, and every door calls what it gives. */
import type { Attribution } from './context/synthesis/attribution.ts'
import { weigh } from './context/text/tokens.ts'
import { follow, type Signal } from './log/follow.ts'
import { memoryLog } from './log/memory/memory-log.ts'
import { openStore } from './log/open-store.ts'
import type { KeptGrant, KeptReceipt, ReadRange, SessionQuery, UsageQuery } from './log/ports.ts'
import type { ApprovalAnswer, Mark, Reach, Recorded } from './model/event.ts'
import type { Fault } from './model/fault.ts'
import type { ApprovalId, ReceiptId, SessionId, TurnId } from './model/ids.ts'
import type { Quote } from './model/quote.ts'
import { ok, type Result } from './model/result.ts'
import type { Session, SessionHit } from './model/session.ts'
import type { Council, SynthesisMode } from './model/settings/council.ts'
import type { Policy } from './model/settings/policy.ts'
import type { UsageRow } from './model/usage.ts'
import type { Agent } from './model/voice.ts'
import type { Listed, ListedProvider } from './provider/catalog/models.ts'
import type { Mcp } from './tool/mcp/servers.ts'
import type { Inbound } from './turn/admission/admit.ts'
import { createKeptFiles, type KeptFile } from './turn/admission/kept-file.ts'
import { modelIn, usualModels } from './turn/admission/speaker.ts'
import { createConductor, type Received } from './turn/conductor.ts'
import { createQuotes } from './turn/cost/cost-quote.ts'
import { exchange, synthesize } from './turn/council/ask-council.ts'
import { attributionOf } from './turn/council/check-synthesis.ts'
import { type Suggestion, suggest } from './turn/council/suggest-advisors.ts'
import { createServices, type EngineOptions } from './turn/create-services.ts'
import { type ListedSkill, type ListedTool, listedTool } from './turn/equipment/equipment.ts'
import { type AsSent, createInspector, type Verification, type VerifyDepth } from './turn/inspect/as-sent.ts'
import type { DryRun, WouldSend } from './turn/inspect/dry-run.ts'
import { layeredIndex } from './turn/inspect/layered-index.ts'
import { type BenchProgress, type BenchReport, type BenchWish, benchPolicies } from './turn/inspect/policy-bench.ts'
import { type PresenceRange, type Presences, presenceOf } from './turn/inspect/presence.ts'
import { indexWhole, type RecallStatus, type ReindexProgress, recallStatus, reindex } from './turn/inspect/recall-index.ts'
import type { Detail } from './turn/inspect/sent-context.ts'
import { type Timeline, type TimelineRange, timelineOf } from './turn/inspect/timeline.ts'
import { createFolds, type Fold, type FoldBegun, type FoldWish } from './turn/memory/folds.ts'
import { type MemoryItem, type MemoryQuery, memoryList } from './turn/memory/memory-list.ts'
import { requestTitle } from './turn/memory/titles.ts'
import { SOLE_VERBS } from './turn/nodes/orders.ts'
import { pendingEverywhere } from './turn/nodes/pending-approvals.ts'
import { createDeepVerifier } from './turn/recall/deep-verify.ts'
import { WORD_VECTORS_FILE } from './turn/recall/recall.ts'
import { resumeTurns } from './turn/recovery/resume-turns.ts'
import { createSessions, type NewSession, type SessionWish } from './turn/schedule/sessions.ts'
import type { Services } from './turn/services.ts'
import type { StatelessRequest } from './turn/stateless/answer-once.ts'
import { createStatelessAnswers, type StatelessAnswer } from './turn/stateless/stateless-answers.ts'
import type { Pending } from './turn/tools/approvals.ts'
import { type Exported, exported } from './turn/transfer/export.ts'
import type { ExportFormat } from './turn/transfer/export-formats.ts'
import { fork } from './turn/transfer/fork.ts'
import { type ImportFileOptions, type ImportReport, importFile } from './turn/transfer/import.ts'

export type { ImportFormat } from './archive/input/found.ts'
export type { ContextItem } from './context/receipt/outline.ts'
export type { CatalogSetting } from './provider/catalog/catalog.ts'
export type { OfferedPart, OfferedPrompt, OfferedResource } from './tool/mcp/offers.ts'
export type { ServerLogLine } from './tool/mcp/server-log.ts'
export type { Mcp, McpStatus } from './tool/mcp/servers.ts'
export type { InboundPart } from './turn/admission/attach.ts'
export type { EquipmentSource } from './turn/equipment/equipment.ts'
export type { Evidence } from './turn/inspect/evidence.ts'
export type { BenchRow } from './turn/inspect/policy-bench.ts'
export type { QuestionPair } from './turn/inspect/question-pairs.ts'
export type { SentContext } from './turn/inspect/sent-context.ts'
export type { DeepVerdict } from './turn/recall/deep-verify.ts'
export type { Thread } from './turn/schedule/message-thread.ts'
export type { Observation } from './turn/services.ts'
export type { ImportProgress } from './turn/transfer/import.ts'
export type {
  AsSent,
  Attribution,
  BenchProgress,
  BenchReport,
  BenchWish,
  DryRun,
  EngineOptions,
  Exported,
  ExportFormat,
  Fold,
  FoldBegun,
  FoldWish,
  ImportFileOptions,
  ImportReport,
  Inbound,
  KeptFile,
  KeptGrant,
  Listed,
  ListedProvider,
  ListedSkill,
  ListedTool,
  MemoryItem,
  MemoryQuery,
  NewSession,
  Pending,
  Presences,
  Quote,
  RecallStatus,
  ReindexProgress,
  Session,
  SessionQuery,
  SessionWish,
  Signal,
  StatelessAnswer,
  StatelessRequest,
  Suggestion,
  Timeline,
  Verification,
  WouldSend,
}
/** A message that is safe: its seq, the turns that answer it, and how far the log had come. */
export type Said = Received

/** Everything a door can ask the engine to do. */
export type Engine = {
  readonly agents: () => readonly Agent[]
  readonly councils: () => readonly Council[]
  readonly policies: readonly Policy[]
  readonly models: () => Promise<{ readonly items: readonly Listed[]; readonly default: string }>
  readonly providers: () => Promise<readonly ListedProvider[]>
  /** Why the usual models cannot answer until something is configured, one line each. */
  readonly unready: () => readonly string[]
  /** Whether one of those models runs on a server that must be asked what it can do. `models` asks it. */
  readonly asksServers: () => boolean
  /** The projects a session may belong to. */
  readonly projects: () => Promise<readonly string[]>
  /** How many tokens a text takes in a request, by our own count. */
  readonly tokensIn: (text: string) => number
  /** The skills there are, with their price in tokens in both modes. */
  readonly skills: () => Promise<readonly ListedSkill[]>
  /** Every tool that voices may use, as models see it, and how it may be run. */
  readonly tools: () => Promise<readonly ListedTool[]>
  /** What is wrong with skills, tools and their servers. */
  readonly equipmentTroubles: () => Promise<readonly string[]>
  /** Takes the settings of skills, tools and their servers as they are now; turns that run keep what they have. */
  readonly refreshEquipment: () => void
  /** The MCP servers; undefined if this engine asks none. */
  readonly servers: () => Mcp | undefined

  readonly open: (wish: NewSession) => Promise<Result<Session, Fault>>
  readonly session: (id: SessionId) => Promise<Result<Session, Fault>>
  /** The model that a session's agent uses. It is null if a council answers, since each advisor has its own. */
  readonly modelIn: (session: Session) => string | null
  readonly sessions: (query: SessionQuery) => Promise<Result<{ items: readonly SessionHit[]; next: string | null }, Fault>>
  readonly change: (id: SessionId, wish: SessionWish) => Promise<Result<Session, Fault>>
  /** Pins a message into every context from the next turn on, or keeps it out. Null removes the mark. A pin may reach other sessions. */
  readonly mark: (id: SessionId, seq: number, mark: Mark | null, reach?: Reach) => Promise<Result<null, Fault>>
  /**
   * A session that shares everything up to and including this seq; it answers nothing by itself. Turns that were running keep what
   * they went on to say without having heard the message at `redo`, if one is named; else they are cut off there.
   */
  readonly fork: (id: SessionId, at: number, redo?: number) => Promise<Result<Session, Fault>>
  readonly remove: (id: SessionId) => Promise<Result<null, Fault>>
  /** One session as a file, or all of them as one archive; read while it is written. */
  readonly export: (which: SessionId | 'all', format: ExportFormat) => Promise<Result<Exported, Fault>>
  /** Imports the sessions of a file, all of them or none. No turn starts for their messages. */
  readonly import: (bytes: AsyncIterable<Uint8Array>, options?: ImportFileOptions) => Promise<Result<ImportReport, Fault>>

  /** Makes a message durable and sees that it is answered; returns as soon as it is safe. */
  readonly say: (inbound: Inbound) => Promise<Result<Said, Fault>>
  /** Answers a conversation that the caller keeps and sends whole. Hanging up stops it. Only its receipts are kept. */
  readonly answerOnce: (talk: StatelessRequest, hangUp: AbortSignal) => Promise<Result<StatelessAnswer, Fault>>
  readonly read: (id: SessionId, range?: ReadRange) => Promise<Result<readonly Recorded[], Fault>>
  readonly follow: (id: SessionId, after: number, abort: AbortSignal) => AsyncIterable<Signal>
  /** A file that came with a message of this session, by its hash. */
  readonly file: (id: SessionId, hash: string) => Promise<Result<KeptFile, Fault>>
  /** Lets the advisors of a council answer each other, so many rounds at most. */
  readonly exchange: (id: SessionId, rounds: number) => Promise<Result<Said, Fault>>
  /** Has the house write a synthesis of the last round, or of the round that began with this seq. */
  readonly synthesize: (id: SessionId, mode: SynthesisMode, round?: number) => Promise<Result<TurnId, Fault>>
  /** Has the house title a session from its first exchange. The title is set when that turn is done. */
  readonly title: (id: SessionId) => Promise<Result<TurnId, Fault>>
  /** The folds of a session, newest last, also those that were replaced or removed. */
  readonly folds: (id: SessionId) => Promise<Result<readonly Fold[], Fault>>
  /** Folds a stretch now: the next request begins behind it. By literal sentences it is there at once, else its turn has started. */
  readonly fold: (id: SessionId, wish?: FoldWish) => Promise<Result<FoldBegun, Fault>>
  /** Replaces the text of a fold by a person's own words. */
  readonly editFold: (id: SessionId, seq: number, text: string) => Promise<Result<Fold, Fault>>
  /** Makes a fold anew from the original words, also with another model. */
  readonly redoFold: (id: SessionId, seq: number, wish?: Pick<FoldWish, 'by' | 'model'>) => Promise<Result<FoldBegun, Fault>>
  readonly removeFold: (id: SessionId, seq: number) => Promise<Result<null, Fault>>
  /** The pins and folds of all sessions that count now, newest first. */
  readonly memory: (
    query: MemoryQuery,
  ) => Promise<Result<{ readonly items: readonly MemoryItem[]; readonly next: string | null }, Fault>>
  /** What each sentence of a synthesis rests on, and whether its quotes are literal. */
  readonly attribution: (id: SessionId, turn: TurnId) => Promise<Result<Attribution, Fault>>
  /** What a message would take, before it is said. */
  readonly quote: (id: SessionId, text: string, to?: readonly string[]) => Promise<Result<Quote, Fault>>
  /** What the first message of a session would take, before there is one; nothing is stored. */
  readonly quoteFirst: (wish: NewSession, text: string, to?: readonly string[]) => Promise<Result<Quote, Fault>>
  /** Has the house think of advisors for a question; what it was sent is kept in an archived session. */
  readonly suggest: (council: string, question: string) => Promise<Result<Suggestion, Fault>>
  /** Resumes what failed or was interrupted in the last round, or one turn. Also answers a message that no voice has heard. */
  readonly resume: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** Stops running turns; what they have said so far is kept. */
  readonly cancel: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** What requests used and cost, by day and model. */
  readonly usage: (query: UsageQuery) => Promise<Result<readonly UsageRow[], Fault>>
  /** The receipt of any request, by its id, and where its conversation is, if that is kept. */
  readonly receipt: (id: ReceiptId) => Promise<Result<KeptReceipt, Fault>>

  /** Calls that wait for a person in the turns that this process runs. */
  readonly approvals: () => readonly Pending[]
  /** The same of every node that shares the store. */
  readonly allApprovals: () => Promise<Result<readonly Pending[], Fault>>
  /** A person's answer about such a call. The first answer counts, a second one is a `conflict`. */
  readonly answer: (id: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<Result<null, Fault>>
  /** What people allowed for a session or for good, oldest first. */
  readonly grants: () => Promise<Result<readonly KeptGrant[], Fault>>
  /** Takes such a grant back: the tool asks again. */
  readonly revoke: (id: string) => Promise<Result<null, Fault>>

  readonly asSent: (id: SessionId, turn: TurnId, step?: number, options?: Detail) => Promise<Result<AsSent, Fault>>
  readonly wouldSend: (id: SessionId, dryRun: DryRun) => Promise<Result<WouldSend, Fault>>
  /** The later requests that contain a message, newest first. */
  readonly presence: (id: SessionId, seq: number, range: PresenceRange) => Promise<Result<Presences, Fault>>
  /** The requests of a session in numbers, oldest first. */
  readonly timeline: (id: SessionId, range: TimelineRange) => Promise<Result<Timeline, Fault>>
  readonly verify: (id: SessionId, options?: VerifyDepth) => AsyncIterable<Verification>
  /** Compares policies over sessions: what they would have sent, at what price, and what that would have shown. */
  readonly bench: (wish: BenchWish, progress?: (done: BenchProgress) => void) => Promise<Result<BenchReport, Fault>>
  /** What recall works with, and how much is indexed. */
  readonly recallStatus: () => Promise<Result<RecallStatus, Fault>>
  /** Indexes what is not indexed yet of a session. */
  readonly index: (id: SessionId) => Promise<Result<null, Fault>>
  /** Makes the recall index of a session anew. */
  readonly reindex: (id: SessionId, progress: (done: ReindexProgress) => void) => Promise<Result<ReindexProgress, Fault>>

  /** An id for a session that a door must not open twice. The door can remember it before it opens the session. */
  readonly mintSession: () => SessionId
  /** Stores what a door must not forget, such as which chat is which session. Null deletes it. Ids and numbers, never messages. */
  readonly remember: (door: string, key: string, value: string | null) => Promise<Result<null, Fault>>
  /** What a door remembers under keys that begin so, by key. */
  readonly remembered: (door: string, prefix: string) => Promise<Result<ReadonlyMap<string, string>, Fault>>

  readonly backup: (file: string) => Promise<Result<null, Fault>>
  /** Closes what a crash left open and answers the messages that wait. Run it once, before the doors open. */
  readonly recover: () => Promise<Result<null, Fault>>
  /** Lets running turns finish for `graceMs`, interrupts the rest, and closes the log. */
  readonly close: (graceMs?: number) => Promise<void>
}

/** Joins services and verbs. */
export function createEngine(options: EngineOptions): Engine {
  const { services, models } = createServices(options)
  const { log, clock, observe, nodes } = services
  /** Verbs about the turns of a session are run by the node that runs the session. */
  const { onOwner } = nodes?.verbs ?? SOLE_VERBS
  const vectorsFile = options.vectorsFile === undefined ? WORD_VECTORS_FILE : options.vectorsFile
  const deepVerifier = createDeepVerifier(services, vectorsFile)
  const inspector = createInspector(services, deepVerifier)
  const quotes = createQuotes(services, inspector)
  const conductor = createConductor(services, quotes)
  services.approvals.whenExpired(id => {
    conductor.answer(id, 'deny', 'nobody answered within 24 hours').catch((cause: unknown) => observe({ type: 'bug', cause }))
  })
  const cancel = onOwner('cancel', (id, turn?: TurnId) => conductor.cancel(id, turn))
  const projects = async (): Promise<readonly string[]> => (await services.house.projects?.()) ?? []

  const usual = {
    get policy() {
      return services.usualPolicy
    },
    projects,
  }
  const sessions = createSessions(services, conductor, usual)
  const folds = createFolds(services, conductor)
  const statelessAnswers = createStatelessAnswers(services, usual)
  /** Opens the session in a log in memory that is dropped afterward. */
  const quoteFirst: Engine['quoteFirst'] = async (wish, text, to) => {
    const aside: Services = { ...services, recall: undefined, log: memoryLog({ clock, weigh }) }
    const opened = await createSessions(aside, conductor, usual).open(wish)
    return opened.ok ? createQuotes(aside, createInspector(aside)).quote(opened.value.id, text, to) : opened
  }

  return {
    agents: () => [...services.agents.values()],
    councils: () => [...services.councils.values()],
    get policies() {
      return [...services.policies.values()]
    },
    models: async () => ({ items: await models.list(usualModels(services)), default: services.models.standard }),
    providers: models.providers,
    asksServers: () => usualModels(services).some(models.asksServer),
    unready: () => [...new Set(usualModels(services).flatMap(name => models.whyNotReady(name) ?? []))],
    projects,
    tokensIn: services.measure.count,
    skills: async () => (await options.equipment?.skills?.(services.measure.count)) ?? [],
    tools: async () => [...(await services.equipment()).toolbox.values()].map(listedTool),
    equipmentTroubles: async () => (await options.equipment?.troubles?.()) ?? [],
    refreshEquipment: () => options.equipment?.refresh?.(),
    servers: () => options.equipment?.servers?.(),

    open: sessions.open,
    session: log.session,
    modelIn: session => modelIn(services, session),
    sessions: log.sessions,
    change: onOwner('change', sessions.change),
    mark: sessions.mark,
    fork: (id, at, redo) => fork(services, id, at, redo),
    remove: onOwner('remove', sessions.remove),
    export: (which, format) => exported(log, which, format),
    import: async (bytes, options = {}) => {
      const imported = await importFile(services, usual.policy, bytes, options)
      services.recall?.catchUp()
      return imported
    },

    say: inbound => conductor.say(inbound),
    answerOnce: statelessAnswers.talk,
    exchange: onOwner('exchange', (id, rounds: number) => exchange(services, conductor, id, rounds)),
    synthesize: onOwner('synthesize', (id, mode: SynthesisMode, round?: number) =>
      synthesize(services, conductor, id, mode, round),
    ),
    resume: onOwner('resume', (id, turn?: TurnId) => resumeTurns(services, conductor, id, turn)),
    title: onOwner('title', id => requestTitle(services, conductor, id)),
    folds: folds.list,
    fold: onOwner('fold', (id, wish: FoldWish = {}) => folds.make(id, wish)),
    editFold: onOwner('editFold', folds.edit),
    redoFold: onOwner('redoFold', (id, seq: number, wish: Pick<FoldWish, 'by' | 'model'> = {}) => folds.redo(id, seq, wish)),
    removeFold: onOwner('removeFold', folds.remove),
    memory: query => memoryList(log, query),
    attribution: (id, turn) => attributionOf(services, id, turn),
    quote: quotes.quote,
    quoteFirst,
    suggest: (key, question) => suggest({ services, conductor, open: sessions.open }, key, question),
    read: log.read,
    follow: (id, after, abort) => follow(log, services.feed, id, after, abort),
    file: createKeptFiles(services),
    approvals: services.approvals.pending,
    allApprovals: async () => (nodes === undefined ? ok(services.approvals.pending()) : pendingEverywhere(nodes.ports.watch)),
    answer: conductor.answer,
    grants: log.grants.list,
    revoke: log.grants.remove,
    cancel: async (id, turn) => {
      const known = await log.session(id)
      return known.ok ? cancel(id, turn) : known
    },
    usage: log.usage,
    receipt: log.receipt,

    asSent: inspector.asSent,
    wouldSend: inspector.wouldSend,
    presence: (id, seq, range) => presenceOf(services, id, seq, range),
    timeline: (id, range) => timelineOf(log, id, range),
    verify: inspector.verify,
    bench: (wish, progress) => benchPolicies(services, inspector.plan, wish, progress),
    recallStatus: () => recallStatus(services, vectorsFile),
    index: id => indexWhole(services, id),
    reindex: (id, progress) => reindex(services, id, progress),

    mintSession: () => services.mint('ses'),
    remember: log.remember,
    remembered: log.remembered,

    backup: log.backup,
    recover: async () => {
      services.recall?.catchUp()
      return conductor.recover()
    },
    close: async (graceMs = 10_000) => {
      await Promise.all([conductor.stop(graceMs), statelessAnswers.stop(graceMs)])
      models.close()
      await options.equipment?.close?.()
      await deepVerifier.close()
      await services.recall?.close()
      await log.close()
    },
  }
}

/** Opens a store and an engine on it: the path of a SQLite file, or the address of a PostgreSQL database. */
export async function openEngine(
  database: string,
  options: Omit<EngineOptions, 'log'> & { readonly readOnly?: boolean; readonly isForCopy?: boolean } = {},
): Promise<Result<Engine, Fault>> {
  const { readOnly = false, isForCopy = false, ...rest } = options
  const log = await openStore(database, { clock: options.clock ?? Date.now, weigh, readOnly, isForCopy })
  if (!log.ok) return log
  // What only reads can still index for itself what the file has no index of.
  return ok(createEngine({ ...rest, log: readOnly ? { ...log.value, recall: layeredIndex(log.value.recall) } : log.value }))
}

/** An engine whose log is in memory: it forgets everything when it is closed. */
export const memoryEngine = (options: Omit<EngineOptions, 'log'> = {}): Engine =>
  createEngine({ ...options, log: memoryLog({ clock: options.clock ?? Date.now, weigh }) })
