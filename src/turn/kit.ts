import type { Listed, SystemPart, ToolSpec } from '../model/plan.ts'
import { NO_TOOLS, type Toolbox } from '../tool/toolbox.ts'

/** What a voice is equipped with for one turn; taken once, so that nothing changes in the middle of it. */
export type Kit = {
  /** Everything that can be run. */
  readonly toolbox: Toolbox
  /** What the model is told it may use, in its fixed order. */
  readonly tools: readonly ToolSpec[]
  /** The skills, in full or by name. */
  readonly skills?: SystemPart
  /** What stands for skills in full where they do not fit. */
  readonly listed?: Listed
  /** What has changed since the last turn took one. */
  readonly news: readonly string[]
}

export const kitOf = (toolbox: Toolbox): Kit => ({ toolbox, tools: [...toolbox.values()].map(({ spec }) => spec), news: [] })

export const NO_KIT: Kit = kitOf(NO_TOOLS)
