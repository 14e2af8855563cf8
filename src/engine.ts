import { randomBytes } from 'node:crypto'
import { presets } from './context/presets.ts'
import { weigh } from './context/tokens.ts'
import { createFeed } from './log/feed.ts'
import { follow, type Signal } from './log/follow.ts'
import type { Log, ReadRange, SessionQuery } from './log/log.ts'
import { memoryLog } from './log/memory.ts'
import { sqliteLog } from './log/sqlite.ts'
import type { Recorded, SessionChange } from './model/event.ts'
import { type Fault, fault } from './model/fault.ts'
import type { Mint, SessionId, TurnId } from './model/ids.ts'
import type { Policy } from './model/policy.ts'
import type { Provider } from './model/provider.ts'
import { err, ok, type Result } from './model/result.ts'
import type { Session, SessionHit } from './model/session.ts'
import { type Agent, ASSISTANT } from './model/voice.ts'
import { CATALOG } from './provider/catalog.ts'
import { demoProvider } from './provider/demo.ts'
import { demoWire } from './provider/demo-wire.ts'
import { NO_TOOLS, type Toolbox } from './tool/toolbox.ts'
import type { Inbound } from './turn/admit.ts'
import { createConductor } from './turn/conductor.ts'
import { type House, houseParts, workspaceHouse } from './turn/house.ts'
import { createInspector, type DryRun, type SentContext, type Verification } from './turn/inspect.ts'
import { createMeasure } from './turn/measure.ts'
import type { Limits, Observation, Rooms } from './turn/rooms.ts'
import { type Thread, threadOf } from './turn/thread.ts'

export { sqliteLog } from './log/sqlite.ts'
export type { DryRun, House, Inbound, Limits, Log, Observation, SentContext, Session, Signal, Thread, Toolbox, Verification }
export { demoProvider, memoryLog, threadOf, weigh, workspaceHouse }

/** What an engine is made of; only the log has to be given. */
export type EngineOptions = {
  readonly log: Log
  readonly provider?: Provider
  readonly model?: string
  readonly policy?: string
  readonly agents?: readonly Agent[]
  readonly toolbox?: Toolbox
  readonly house?: House
  readonly limits?: Partial<Limits>
  readonly mint?: Mint
  readonly clock?: () => number
  readonly observe?: (observation: Observation) => void
}

/** What a session may be opened with. */
export type NewSession = { readonly title?: string; readonly agent?: string; readonly policy?: string }

/** A message that is safe: its place, and the turns known to answer it. */
export type Said = { readonly seq: number; readonly turns: readonly TurnId[] }

/** The verbs of the house; every door calls these and nothing else. */
export type Engine = {
  readonly agents: readonly Agent[]
  readonly policies: readonly Policy[]
  readonly models: readonly { readonly name: string; readonly window: number }[]

  readonly open: (wish: NewSession) => Promise<Result<Session, Fault>>
  readonly session: (id: SessionId) => Promise<Result<Session, Fault>>
  readonly sessions: (query: SessionQuery) => Promise<Result<{ items: readonly SessionHit[]; next: string | null }, Fault>>
  readonly change: (id: SessionId, changes: SessionChange) => Promise<Result<Session, Fault>>
  readonly remove: (id: SessionId) => Promise<Result<null, Fault>>

  /** Makes a message durable and sees that it is answered; returns as soon as it is safe. */
  readonly say: (inbound: Inbound) => Promise<Result<Said, Fault>>
  readonly read: (id: SessionId, range?: ReadRange) => Promise<Result<readonly Recorded[], Fault>>
  readonly follow: (id: SessionId, after: number, abort: AbortSignal) => AsyncIterable<Signal>
  /** Stops running turns; what they have said so far is kept. */
  readonly cancel: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>

  readonly asSent: (id: SessionId, turn: TurnId, step?: number) => Promise<Result<SentContext, Fault>>
  readonly wouldSend: (id: SessionId, dryRun: DryRun) => Promise<Result<SentContext, Fault>>
  readonly verify: (id: SessionId) => AsyncIterable<Verification>

  readonly backup: (file: string) => Promise<Result<null, Fault>>
  /** Closes what a crash left open and answers what waits; run once, before the doors open. */
  readonly recover: () => Promise<Result<null, Fault>>
  /** Lets running turns finish for `graceMs`, interrupts the rest, and closes the log. */
  readonly close: (graceMs?: number) => Promise<void>
}

const DEFAULT_LIMITS: Limits = { steps: 10, turnMs: 600_000, historyMs: 250 }

/** Joins the rooms. */
export function createEngine(options: EngineOptions): Engine {
  const { log, clock = Date.now, mint = mintRandom, observe = () => {} } = options
  const agents = options.agents ?? [ASSISTANT]
  const model = CATALOG.get(options.model ?? 'demo') ?? { name: options.model ?? 'demo', window: 128_000 }
  const rooms: Rooms = {
    log,
    feed: createFeed(),
    house: options.house ?? { parts: async agent => houseParts(agent, '') },
    measure: createMeasure(),
    toolbox: options.toolbox ?? NO_TOOLS,
    agents: new Map(agents.map(agent => [agent.key, agent])),
    policies: new Map(Object.entries(presets)),
    model: { ...model, provider: options.provider ?? demoProvider({ delayMs: 0 }) },
    wires: new Map([[`${demoWire.name}@${demoWire.version}`, demoWire]]),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    mint,
    observe,
  }
  const defaultPolicy = options.policy ?? 'full'
  const conductor = createConductor(rooms)
  const inspector = createInspector(rooms)

  return {
    agents,
    policies: [...rooms.policies.values()],
    models: [...CATALOG.values()],

    open: async ({ title, agent, policy }) => {
      const unfit = misfit(rooms, { ...(agent === undefined ? {} : { agent }), ...(policy === undefined ? {} : { policy }) })
      if (unfit !== undefined) return err(unfit)
      const now = new Date(clock()).toISOString()
      return log.open({
        id: mint('ses'),
        title: title ?? null,
        preview: null,
        agent: agent ?? agents[0]?.key ?? ASSISTANT.key,
        council: null,
        project: null,
        policy: policy ?? defaultPolicy,
        archived: false,
        createdAt: now,
        updatedAt: now,
        messages: 0,
      })
    },
    session: log.session,
    sessions: log.sessions,
    change: async (id, changes) => {
      const unfit = misfit(rooms, changes)
      if (unfit !== undefined) return err(unfit)
      const changed = await conductor.append(id, [{ type: 'session.changed', changes }])
      return changed.ok ? log.session(id) : changed
    },
    remove: async id => {
      await conductor.cancel(id)
      const removed = await log.remove(id)
      // Whoever still follows it reads once more, finds nothing, and is let go.
      if (removed.ok) rooms.feed.head(id, Number.MAX_SAFE_INTEGER)
      return removed
    },

    say: conductor.say,
    read: log.read,
    follow: (id, after, abort) => follow(log, rooms.feed, id, after, abort),
    cancel: async (id, turn) => {
      const known = await log.session(id)
      if (!known.ok) return known
      return ok(await conductor.cancel(id, turn))
    },

    asSent: inspector.asSent,
    wouldSend: inspector.wouldSend,
    verify: inspector.verify,

    backup: log.backup,
    recover: conductor.recover,
    close: async (graceMs = 10_000) => {
      await conductor.stop(graceMs)
      await log.close()
    },
  }
}

/** An agent or policy that nobody knows is said at once, with the ones there are. */
function misfit({ agents, policies }: Rooms, { agent, policy }: SessionChange): Fault | undefined {
  if (agent !== undefined && !agents.has(agent))
    return fault('invalid', `agent: there is no "${agent}"; known: ${[...agents.keys()].join(', ')}`)
  if (policy !== undefined && !policies.has(policy)) {
    return fault('invalid', `policy: there is no "${policy}"; known: ${[...policies.keys()].join(', ')}`)
  }
  return undefined
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 130 random bits, in letters that cannot be mistaken for each other. */
const mintRandom: Mint = kind =>
  `${kind}_${Array.from(randomBytes(26), byte => ALPHABET[byte % 32]).join('')}` as ReturnType<typeof mintRandom<typeof kind>>

/** Opens a SQLite file and an engine on it. */
export async function openEngine(
  file: string,
  options: Omit<EngineOptions, 'log'> & { readonly readOnly?: boolean } = {},
): Promise<Result<Engine, Fault>> {
  const { readOnly = false, ...rest } = options
  const log = await sqliteLog({ file, clock: options.clock ?? Date.now, weigh, readOnly })
  return log.ok ? ok(createEngine({ ...rest, log: log.value })) : log
}
