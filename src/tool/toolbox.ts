import type { ToolSpec } from '../model/plan.ts'

/** What a call came to, in the words the model will read. */
export type Settlement = { readonly ok: boolean; readonly outcome: string; readonly content?: string }

/** Something a voice may use. `run` must not throw for ordinary trouble: a failure is a settlement too. */
export type Tool = { readonly spec: ToolSpec; readonly run: (args: unknown, signal: AbortSignal) => Promise<Settlement> }

/** The tools of a turn, in the fixed order in which they are sent. */
export type Toolbox = ReadonlyMap<string, Tool>

export const NO_TOOLS: Toolbox = new Map()

export const toolbox = (tools: readonly Tool[]): Toolbox => new Map(tools.map(tool => [tool.spec.name, tool]))
