// What a tool is, and the box that finds one by name.
import type { RunFacts } from '../model/approval.ts'
import type { ToolSpec } from '../model/plan.ts'

/** The outcome of a call, in the words the model reads. */
export type Settlement = {
  readonly ok: boolean
  readonly outcome: string
  readonly content?: string
  /** Images for a model that sees. The content names them, too, for people and for models that do not. */
  readonly images?: readonly ToolImage[]
  /** What was run in the end, if that could not be known before. */
  readonly argv?: readonly string[]
}

/** An image as a tool gives it, with its bytes in base64. Nothing of it has been checked. */
export type ToolImage = { readonly name: string; readonly mediaType: string; readonly data: string }

/** A call with valid arguments. */
export type Ready = {
  /** Exactly what would be run, for a person to see. It is undefined if no process is started. */
  readonly argv?: readonly string[]
  /** What else a person is shown, as it is now. The approval is bound to all of these facts. */
  readonly facts?: RunFacts
  /**
   * Checks at the last moment that everything is still as the facts say, and runs nothing if it is not. It must not throw for
   * ordinary trouble: a failure is a settlement too.
   */
  readonly run: (signal: AbortSignal) => Promise<Settlement>
}

/** A tool that a voice may use. */
export type Tool = {
  readonly spec: ToolSpec
  /** `auto` runs, `ask` waits for a person's approval, `never` is always refused. */
  readonly approval: 'auto' | 'ask' | 'never'
  /** True if it may run beside other calls of the same reply. */
  readonly parallel: boolean
  /** True if running it twice has the same effect as running it once, so that recovery may run it again. */
  readonly idempotent: boolean
  /** True if every run is a process of its own. The number of such processes at one time is limited. */
  readonly startsProcess?: boolean
  /** The MCP server that offers it, by its name in the settings. */
  readonly server?: string
  /** The key of `tools.approve` that decided about its approval. */
  readonly rule?: string
  /** Checks the arguments and says what would run, without running anything, or why nothing will. */
  readonly prepare: (args: unknown) => Promise<Ready | Settlement>
}

/** A tool that is a function of the embedding program. */
export type PlainTool = {
  readonly spec: ToolSpec
  readonly run: (args: unknown, signal: AbortSignal) => Promise<Settlement>
} & Partial<Pick<Tool, 'approval' | 'parallel' | 'idempotent'>>

/** The tools of a turn, in the fixed order in which they are sent. */
export type Toolbox = ReadonlyMap<string, Tool>

export const NO_TOOLS: Toolbox = new Map()

/** If two tools have the same name, the first one wins. */
export function toolbox(tools: readonly (Tool | PlainTool)[]): Toolbox {
  const box = new Map<string, Tool>()
  for (const tool of tools) {
    if (!box.has(tool.spec.name)) box.set(tool.spec.name, 'prepare' in tool ? tool : fromFunction(tool))
  }
  return box
}

export const isReady = (prepared: Ready | Settlement): prepared is Ready => 'run' in prepared

const fromFunction = ({ run, ...rest }: PlainTool): Tool => ({
  approval: 'auto',
  parallel: false,
  idempotent: false,
  ...rest,
  prepare: async args => ({ run: signal => run(args, signal) }),
})
