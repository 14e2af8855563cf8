// What a tool is, and the box that finds one by name.
import type { RunFacts } from '../model/approval.ts'
import type { ToolSpec } from '../model/plan.ts'

/** What a call came to, in the words the model will read. */
export type Settlement = {
  readonly ok: boolean
  readonly outcome: string
  readonly content?: string
  /** What was run in the end, where that could not be known before. */
  readonly argv?: readonly string[]
}

/** A call whose arguments are sound. */
export type Ready = {
  /** Exactly what would be run, for a person to see; nothing where no process is started. */
  readonly argv?: readonly string[]
  /** What else a person is shown, as it is now; the answer is bound to all of it. */
  readonly facts?: RunFacts
  /**
   * Looks once more, in the last moment, whether everything is as those facts say, and runs nothing if it is not. Must not
   * throw for ordinary trouble: a failure is a settlement too.
   */
  readonly run: (signal: AbortSignal) => Promise<Settlement>
}

/** Something a voice may use. */
export type Tool = {
  readonly spec: ToolSpec
  /** `auto` runs, `ask` waits for a person's word, `never` is refused whatever anybody says. */
  readonly approval: 'auto' | 'ask' | 'never'
  /** May run beside other calls of the same reply. */
  readonly parallel: boolean
  /** Running it twice is running it once, so that recovery may. */
  readonly idempotent: boolean
  /** Every run of it is a process of its own; so many at one time are allowed. */
  readonly startsProcess?: boolean
  /** Checks the arguments and says what would run, without running anything; or why nothing will. */
  readonly prepare: (args: unknown) => Promise<Ready | Settlement>
}

/** A tool that is a function of somebody's program. */
export type PlainTool = {
  readonly spec: ToolSpec
  readonly run: (args: unknown, signal: AbortSignal) => Promise<Settlement>
} & Partial<Pick<Tool, 'approval' | 'parallel' | 'idempotent'>>

/** The tools of a turn, in the fixed order in which they are sent. */
export type Toolbox = ReadonlyMap<string, Tool>

export const NO_TOOLS: Toolbox = new Map()

/** Of two tools with one name the first is meant. */
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
