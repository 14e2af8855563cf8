import type { Listed, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { SkillPrice } from '../../skill/prices.ts'
import { NO_TOOLS, type Tool, type Toolbox } from '../../tool/toolbox.ts'

/** What a voice is equipped with for one turn; taken once, so that nothing changes in the middle of it. */
export type Equipment = {
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

/** A skill as people look at it: what it costs in both modes, and which tools it has. */
export type ListedSkill = SkillPrice & { readonly description: string; readonly tools: readonly string[] }

/** A tool as people look at it. */
export type ListedTool = ToolSpec & Pick<Tool, 'approval' | 'parallel' | 'idempotent'>

export const listedTool = ({ spec, approval, parallel, idempotent }: Tool): ListedTool => ({
  ...spec,
  approval,
  parallel,
  idempotent,
})

/** Gives the equipment of a workspace as its files say it now. */
export type EquipmentSource = {
  /** Starts the programs that bring tools. The engine calls it once its log is open: whoever may not write starts nothing. */
  readonly open?: () => void
  readonly now: () => Promise<Equipment>
  readonly skills?: (count: (text: string) => number) => Promise<readonly ListedSkill[]>
  /** What is wrong now, a line each. */
  readonly troubles?: () => Promise<readonly string[]>
  readonly close?: () => Promise<void>
}

export const equipmentOf = (toolbox: Toolbox): Equipment => ({
  toolbox,
  tools: [...toolbox.values()].map(({ spec }) => spec),
  news: [],
})

export const NO_EQUIPMENT: Equipment = equipmentOf(NO_TOOLS)
