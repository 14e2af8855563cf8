// Asks the gateway about agents, councils, models, skills and projects.
import type { Reach } from '../../../src/model/event.ts'
import type { HistoryFolded } from '../../../src/model/fold.ts'
import type { RecallFrom } from '../../../src/model/recall.ts'
import type { Advisor, Council } from '../../../src/model/settings/council.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import type { UsageRow } from '../../../src/model/usage.ts'
import type { WrittenAgent } from '../../../src/model/voice.ts'
import type { ApiConnection } from './ask.ts'
import { createPolicyBench, type PolicyBench } from './bench-api.ts'
import { createMcpApi, type McpApi } from './mcp-api.ts'
import type { ApiProblem, ApiResult } from './problem.ts'
import { createProvidersApi, type ProvidersApi } from './providers-api.ts'
import { createSettingsApi, type SettingsApi } from './settings-api.ts'

/** An agent as it is listed. */
export type ListedAgent = Pick<WrittenAgent, 'key' | 'name' | 'description' | 'color' | 'model' | 'policy'>

export type ModelRow = {
  readonly name: string
  /** The name of its provider. */
  readonly provider?: string
  readonly window: number
  readonly output: number | null
  readonly price: { readonly input: number; readonly output: number } | null
  readonly images: boolean
  readonly files: boolean
  readonly thinking: boolean
  readonly tools: boolean
  /** Whether it could be asked now; if not, `needs` says what is missing. */
  readonly ready: boolean
  readonly needs?: string | null
}

/** Who is asked for models. */
export type ProviderRow = {
  readonly name: string
  readonly ready: boolean
  readonly needs: string | null
  readonly baseURL: string
  /** Only an Ollama is looked for. */
  readonly running?: boolean
}

export type ListedModels = {
  readonly items: readonly ModelRow[]
  readonly default: string
  readonly providers?: readonly ProviderRow[]
}

/** A skill, with its price in tokens for every request: with its whole text, or only by name. */
export type SkillRow = {
  readonly name: string
  readonly description: string
  readonly full: number
  readonly listed: number
  readonly tools: readonly string[]
}

export type ListedSkills = {
  readonly items: readonly SkillRow[]
  readonly mode?: 'auto' | 'full' | 'readOnDemand'
  readonly disabled?: readonly string[]
  readonly directories?: readonly string[]
  /** What is wrong with skills and tools, a line each. */
  readonly troubles?: readonly string[]
}

export type ToolRow = {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly approval: 'auto' | 'ask' | 'never'
  /** The MCP server that brings it; null for those of skills and Turnwise's own. */
  readonly server?: string | null
  /** The key of tools.approve that decided; null if none did. */
  readonly rule?: string | null
}

export type ListedProject = { readonly name: string; readonly tokens?: number; readonly recall?: boolean }

export type WrittenProject = { readonly name: string; readonly context: string; readonly recall?: boolean }

/** An advisor as it is sent: without an id it is new, and without a color it gets one. */
export type AdvisorInput = Omit<Advisor, 'id' | 'color'> & { readonly id?: string; readonly color?: string }

export type CouncilInput = Omit<Council, 'advisors'> & { readonly advisors: readonly AdvisorInput[] }

/** An advisor that would suit a question. */
export type SuggestedAdvisor = { readonly name: string; readonly description: string; readonly group?: string }

/** Something that is remembered: a pinned message or a summary, with what it takes in a request. */
export type MemoryRow = {
  readonly session: string
  readonly title: string | null
  readonly seq: number
  readonly text: string
  readonly tokens: number
  readonly at: string
} & (
  | { readonly kind: 'pin'; readonly reach: Reach }
  | ({ readonly kind: 'fold' } & Pick<HistoryFolded, 'from' | 'to' | 'by' | 'folded'>)
)

/** A page of what is remembered, with the switches. */
export type MemoryPageData = {
  readonly from: RecallFrom
  readonly projects: readonly { readonly name: string; readonly recall: boolean }[]
  readonly items: readonly MemoryRow[]
  readonly next: string | null
}

type Items<Item> = ApiResult<{ readonly items: readonly Item[] }>

/** What is configured in the workspace, and how it is changed: the pages' own part of the gateway. */
export type WorkspaceApi = {
  readonly agents: () => Promise<Items<ListedAgent>>
  readonly agent: (key: string) => Promise<ApiResult<WrittenAgent>>
  readonly putAgent: (agent: WrittenAgent) => Promise<ApiResult<WrittenAgent>>
  readonly removeAgent: (key: string) => Promise<ApiResult<unknown>>
  readonly councils: () => Promise<Items<Council>>
  /** One council; one that does not exist is a problem with status 404. */
  readonly council: (key: string) => Promise<ApiResult<Council>>
  readonly putCouncil: (council: CouncilInput) => Promise<ApiResult<Council>>
  /** Adds advisors: one with a known id replaces that advisor, others come after. */
  readonly importAdvisors: (key: string, file: unknown) => Promise<ApiResult<Council>>
  /** Asks the model for advisors that would suit a question; nothing is changed by it. */
  readonly suggest: (key: string, question: string) => Promise<ApiResult<{ readonly advisors: readonly SuggestedAdvisor[] }>>
  readonly removeCouncil: (key: string) => Promise<ApiResult<unknown>>
  readonly policies: () => Promise<ApiResult<{ readonly items: readonly Policy[]; readonly default?: string }>>
  /** Compares all policies over chosen chats; no model is asked. */
  readonly bench: PolicyBench
  readonly models: () => Promise<ApiResult<ListedModels>>
  /** Who is asked for models: keys and addresses. */
  readonly providers: ProvidersApi
  readonly settings: SettingsApi
  readonly mcp: McpApi
  /** Only of a model of Ollama; it counts from the next message on. */
  readonly setWindow: (name: string, window: number) => Promise<ApiResult<unknown>>
  readonly skills: () => Promise<ApiResult<ListedSkills>>
  readonly tools: () => Promise<Items<ToolRow>>
  /** From a day on, or ever. */
  readonly usage: (since: string | null) => Promise<Items<UsageRow>>
  readonly projects: () => Promise<Items<ListedProject>>
  readonly project: (name: string) => Promise<ApiResult<WrittenProject>>
  readonly putProject: (project: WrittenProject) => Promise<ApiResult<WrittenProject>>
  /** The page at a cursor, or the first one. */
  readonly memory: (cursor: string | null) => Promise<ApiResult<MemoryPageData>>
  /** Where every chat may recall from. */
  readonly setRecallFrom: (from: RecallFrom) => Promise<ApiResult<unknown>>
  /** Whether the chats of a project recall from each other. */
  readonly setProjectRecall: (name: string, recall: boolean) => Promise<ApiResult<unknown>>
}

const NO_COUNCIL: ApiProblem = {
  status: 404,
  title: 'This council is not here',
  detail: 'It may have been deleted, or the address is not complete.',
}

export function createWorkspaceApi({ ask, call }: ApiConnection): WorkspaceApi {
  const at = (list: string, key: string): string => `api/${list}/${encodeURIComponent(key)}`
  return {
    agents: () => ask('GET', 'api/agents'),
    agent: key => ask('GET', at('agents', key)),
    putAgent: ({ key, ...agent }) => ask('PUT', at('agents', key), agent),
    removeAgent: key => ask('DELETE', at('agents', key)),
    councils: () => ask('GET', 'api/councils'),
    council: async key => {
      const read = await ask<{ readonly items: readonly Council[] }>('GET', 'api/councils')
      if (!read.ok) return read
      const found = read.value.items.find(each => each.key === key)
      return found === undefined ? { ok: false, problem: NO_COUNCIL } : { ok: true, value: found }
    },
    importAdvisors: (key, file) => ask('POST', `${at('councils', key)}/advisors`, file),
    suggest: (key, question) => ask('POST', `${at('councils', key)}/suggestions`, { question }),
    putCouncil: ({ key, ...council }) => ask('PUT', at('councils', key), council),
    removeCouncil: key => ask('DELETE', at('councils', key)),
    policies: () => ask('GET', 'api/policies'),
    bench: createPolicyBench(call),
    models: () => ask('GET', 'api/models'),
    providers: createProvidersApi(ask),
    settings: createSettingsApi(ask),
    mcp: createMcpApi(ask),
    setWindow: (name, window) => ask('PATCH', 'api/models', { name, window }),
    skills: () => ask('GET', 'api/skills'),
    tools: () => ask('GET', 'api/tools'),
    usage: since => ask('GET', since === null ? 'api/usage' : `api/usage?${new URLSearchParams({ since })}`),
    projects: () => ask('GET', 'api/projects'),
    project: name => ask('GET', at('projects', name)),
    putProject: ({ name, context }) => ask('PUT', at('projects', name), { context }),
    memory: cursor => ask('GET', `api/memory?${new URLSearchParams({ limit: '50', ...(cursor === null ? {} : { cursor }) })}`),
    setRecallFrom: from => ask('PATCH', 'api/memory', { from }),
    setProjectRecall: (name, recall) => ask('PATCH', at('projects', name), { recall }),
  }
}
