import type { Council } from '../../src/model/council.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { Ask } from './ask.ts'
import type { Outcome } from './problem.ts'

/** An agent as its file has it. */
export type WrittenAgent = {
  readonly key: string
  readonly name: string
  readonly prompt: string
  readonly description?: string
  readonly personality?: string
  readonly example?: string | Readonly<Record<string, unknown>>
  readonly suffix?: string
  readonly no_implementation?: boolean
  readonly model?: string
  readonly policy?: string
  readonly color?: string
  readonly thinking?: boolean
  readonly protocol?: 'native' | 'text'
}

/** An agent as it is listed. */
export type ListedAgent = Pick<WrittenAgent, 'key' | 'name' | 'description' | 'color' | 'model' | 'policy'>

export type ListedModel = {
  readonly name: string
  readonly window: number
  readonly output: number | null
  readonly price: { readonly input: number; readonly output: number } | null
  readonly images: boolean
  readonly files: boolean
  readonly thinking: boolean
  readonly tools: boolean
  /** Whether it could be asked now; if not, `needs` says what is missing. */
  readonly ready: boolean
  readonly needs: string | null
}

type Items<Item> = Outcome<{ readonly items: readonly Item[] }>

/** What is configured in the workspace, and how it is changed: the pages' own part of the gateway. */
export type Desk = {
  readonly agents: () => Promise<Items<ListedAgent>>
  readonly agent: (key: string) => Promise<Outcome<WrittenAgent>>
  readonly putAgent: (agent: WrittenAgent) => Promise<Outcome<WrittenAgent>>
  readonly removeAgent: (key: string) => Promise<Outcome<unknown>>
  readonly councils: () => Promise<Items<Council>>
  readonly putCouncil: (council: Council) => Promise<Outcome<Council>>
  readonly removeCouncil: (key: string) => Promise<Outcome<unknown>>
  readonly policies: () => Promise<Items<Policy>>
  readonly models: () => Promise<Outcome<{ readonly items: readonly ListedModel[]; readonly default: string }>>
  readonly projects: () => Promise<Items<{ readonly name: string }>>
  readonly project: (name: string) => Promise<Outcome<{ readonly name: string; readonly context: string }>>
  readonly putProject: (name: string, context: string) => Promise<Outcome<unknown>>
}

export function createDesk(ask: Ask): Desk {
  const at = (shelf: string, key: string): string => `api/${shelf}/${encodeURIComponent(key)}`
  return {
    agents: () => ask('GET', 'api/agents'),
    agent: key => ask('GET', at('agents', key)),
    putAgent: ({ key, ...agent }) => ask('PUT', at('agents', key), agent),
    removeAgent: key => ask('DELETE', at('agents', key)),
    councils: () => ask('GET', 'api/councils'),
    putCouncil: ({ key, ...council }) => ask('PUT', at('councils', key), council),
    removeCouncil: key => ask('DELETE', at('councils', key)),
    policies: () => ask('GET', 'api/policies'),
    models: () => ask('GET', 'api/models'),
    projects: () => ask('GET', 'api/projects'),
    project: name => ask('GET', at('projects', name)),
    putProject: (name, context) => ask('PUT', at('projects', name), { context }),
  }
}
