/** Makes the services of an engine from its options, with what is usual where an option is left out. */
import { randomBytes } from 'node:crypto'
import { presets } from '../context/presets.ts'
import { createFeed } from '../log/feed.ts'
import type { Log } from '../log/ports.ts'
import type { Mint } from '../model/ids.ts'
import { type ModelSetting, type Provider, type ProviderSetting, wireLabel } from '../model/provider.ts'
import type { RecallFrom } from '../model/recall.ts'
import type { Council } from '../model/settings/council.ts'
import type { Policy } from '../model/settings/policy.ts'
import { type Agent, ASSISTANT } from '../model/voice.ts'
import { wiresOf } from '../provider/catalog/catalog.ts'
import type { ProviderCheck } from '../provider/catalog/model-list.ts'
import { createModels } from '../provider/catalog/models.ts'
import type { ProviderDescriptor } from '../provider/descriptor.ts'
import { PROVIDERS } from '../provider/providers.ts'
import { NO_TOOLS, type Toolbox } from '../tool/toolbox.ts'
import { createBudget } from './cost/daily-budget.ts'
import { createSharedBudget } from './cost/shared-budget.ts'
import { createFactors } from './cost/token-factors.ts'
import { observing } from './durable/bug-guard.ts'
import { type EquipmentSource, equipmentOf } from './equipment/equipment.ts'
import { councilPrompts, type House, houseParts } from './equipment/workspace-text.ts'
import { createNodes } from './nodes/nodes.ts'
import { SOLE_OWNER } from './nodes/ownership.ts'
import { createRecall, WORD_VECTORS_FILE } from './recall/recall.ts'
import { RESUME, type Resume } from './recovery/decide.ts'
import type { Limits, Observation, Services } from './services.ts'
import { createMeasure } from './step/measure.ts'
import { createRequestFiles } from './step/request-files.ts'
import { createApprovals } from './tools/approvals.ts'
import { createProcessLimit } from './tools/process-limit.ts'

/** What an engine is made of; only the log has to be given. */
export type EngineOptions = {
  readonly log: Log
  /** Who speaks as `demo`; the built-in script where nothing is given. */
  readonly provider?: Provider
  /** The kinds of providers there are; those of `PROVIDERS` where nothing is given. */
  readonly descriptors?: readonly ProviderDescriptor[]
  /** What may change while the engine runs, asked again whenever it matters. The options beside it win over it. */
  readonly changing?: () => ChangingSettings
  /** How the real services are reached, by name. */
  readonly providers?: Readonly<Record<string, ProviderSetting>>
  /** Added to, or over, what is known of models. */
  readonly models?: Readonly<Record<string, ModelSetting>>
  readonly model?: string
  readonly policy?: string
  /** Beside the presets; one of the same name takes its place. A function is asked again whenever it matters. */
  readonly policies?: readonly Policy[] | (() => readonly Policy[])
  /** The agents there are now; asked again whenever it matters, so that a changed file takes effect. */
  readonly agents?: () => readonly Agent[]
  /** The councils there are now; asked again whenever it matters. */
  readonly councils?: () => readonly Council[]
  /** What voices may use. */
  readonly toolbox?: Toolbox
  /** What voices are equipped with, skills and all, instead of a toolbox; asked once for each turn. */
  readonly equipment?: EquipmentSource
  readonly house?: House
  readonly limits?: Partial<Limits>
  /** How turns go on that were left without an end. */
  readonly resume?: Partial<Resume>
  /** Where the sessions of a project (null: of none) may look for messages of others, beyond what their policy says; asked for each turn. */
  readonly recallFrom?: (project: string | null) => Promise<RecallFrom>
  /** A file of word vectors, for recall; null compares words alone. Those that come with Turnwise where nothing is given. */
  readonly vectorsFile?: string | null
  /** An encoder for recall beside them, by its name; its packages have to be installed. */
  readonly encoder?: string | null
  /** How long a session stays with a node that says nothing any more, on a store that several share; 15 s where nothing is given. */
  readonly leaseMs?: number
  readonly mint?: Mint
  readonly clock?: () => number
  readonly observe?: (observation: Observation) => void
}

/** The settings that take effect without a restart. */
export type ChangingSettings = {
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly models: Readonly<Record<string, ModelSetting>>
  readonly model: string
  readonly policy: string
  readonly limits: Partial<Limits>
  readonly resume: Partial<Resume>
  /** How a provider answered when it was last asked for its models; undefined if it was not asked. */
  readonly checked?: (provider: string) => ProviderCheck | undefined
  /** Waits for that answer for a moment, where it is still to come. */
  readonly check?: (provider: string) => Promise<void>
}

const DEFAULT_LIMITS: Limits = {
  steps: 50,
  turnMs: 3_600_000,
  tokensPerTurn: 2_000_000,
  historyMs: 250,
  budgetUsdPerDay: null,
  budgetUsdPerRound: null,
}

/** The services, and the models among them with what only the engine asks of models. */
export function createServices(options: EngineOptions): {
  readonly services: Services
  readonly models: ReturnType<typeof createModels>
} {
  const { clock = Date.now, mint = mintRandom } = options
  const observe = observing(options.observe ?? (() => {}))
  const agentsNow = (): readonly Agent[] => {
    const named = options.agents?.() ?? []
    return named.length === 0 ? [ASSISTANT] : named
  }
  const policiesNow = (): ReadonlyMap<string, Policy> => {
    const { policies = [] } = options
    const further = typeof policies === 'function' ? policies() : policies
    return new Map([...Object.values(presets), ...further].map(policy => [policy.name, policy]))
  }
  const descriptors = options.descriptors ?? PROVIDERS
  const models = createModels({
    ...(options.provider === undefined ? {} : { demo: options.provider }),
    descriptors,
    now: () => {
      const { providers = {}, models = {}, checked, check } = options.changing?.() ?? {}
      return { providers: options.providers ?? providers, models: options.models ?? models, checked, check }
    },
  })
  const limits = (): Limits => ({ ...DEFAULT_LIMITS, ...options.changing?.().limits, ...options.limits })
  const equipment = options.equipment?.now ?? (async limits => equipmentOf(options.toolbox ?? NO_TOOLS, limits))
  options.equipment?.open?.()
  const ownFeed = createFeed()
  const { nodes: ports } = options.log
  const onBug = (cause: unknown): void => observe({ type: 'bug', cause })
  const leaseMs = options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }
  const nodes = ports === undefined ? undefined : createNodes({ log: options.log, ports, feed: ownFeed, onBug, ...leaseMs })
  const log = nodes?.log ?? options.log
  const feed = nodes?.feed ?? ownFeed
  const owners = nodes?.owners ?? SOLE_OWNER
  const perDay = (): number | null => limits().budgetUsdPerDay
  const recall = createRecall({
    log,
    vectorsFile: options.vectorsFile === undefined ? WORD_VECTORS_FILE : options.vectorsFile,
    encoder: options.encoder ?? null,
    onTrouble: trouble => observe({ type: 'recall', trouble }),
  })
  const services: Services = {
    log,
    feed: {
      ...feed,
      head: (session, head) => {
        feed.head(session, head)
        // One node fills the index of a session: the one that runs it.
        if (owners.tenureOf(session) !== undefined) recall.grew(session, head)
      },
    },
    owners,
    nodes,
    recall,
    files: createRequestFiles(log),
    recallFrom: options.recallFrom ?? (async () => 'session'),
    house: options.house ?? { parts: async (agent, _, seat) => houseParts(agent, { council: councilPrompts(seat) }) },
    measure: createMeasure(),
    equipment,
    get agents() {
      return new Map(agentsNow().map(agent => [agent.key, agent]))
    },
    get councils() {
      return new Map((options.councils?.() ?? []).map(council => [council.key, council]))
    },
    get policies() {
      return policiesNow()
    },
    get usualPolicy() {
      return options.policy ?? options.changing?.().policy ?? presets.steady.name
    },
    models: {
      get standard() {
        return options.model ?? options.changing?.().model ?? 'demo'
      },
      named: models.named,
      learn: models.learn,
    },
    factors: createFactors(log),
    budget:
      ports === undefined
        ? createBudget(log, clock, perDay)
        : createSharedBudget({ reservations: ports.reservations, mintId: () => mint('evt') }, clock, perDay),
    approvals: createApprovals({ grants: log.grants, clock }),
    processes: createProcessLimit(),
    wires: new Map(wiresOf(descriptors).map(wire => [wireLabel(wire), wire])),
    get limits() {
      return limits()
    },
    get resume() {
      return { ...RESUME, ...options.changing?.().resume, ...options.resume }
    },
    mint,
    clock,
    observe,
  }
  return { services, models }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 130 random bits, in letters that cannot be mistaken for each other. */
const mintRandom: Mint = kind =>
  `${kind}_${Array.from(randomBytes(26), byte => ALPHABET[byte % 32]).join('')}` as ReturnType<typeof mintRandom<typeof kind>>
