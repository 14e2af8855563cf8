/** The skills and tools that a voice has for one turn, and the lists of them that people see. */
import type { SkillsByName, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { SkillPrice } from '../../skill/prices.ts'
import { matchesName } from '../../tool/approve-rules.ts'
import type { Mcp } from '../../tool/mcp/servers.ts'
import { NO_TOOLS, type Tool, type Toolbox } from '../../tool/toolbox.ts'

/** The skills and tools of a voice for one turn. They are taken once, so that nothing changes during the turn. */
export type Equipment = {
  /** Everything that can be run. */
  readonly toolbox: Toolbox
  /** The tools that the model sees, in their fixed order. */
  readonly tools: readonly ToolSpec[]
  /** The skills, in full or by name. */
  readonly skills?: SystemPart
  /** The shorter text that replaces the full skills if they take too much. */
  readonly listed?: SkillsByName
  /** What has changed since the last turn took its equipment. */
  readonly news: readonly string[]
}

/** What of the equipment a voice may have: names, or beginnings with a final `*`; everything where a list is missing. */
export type EquipmentLimits = { readonly tools?: readonly string[]; readonly skills?: readonly string[] }

/** Whether a list has a name. A list that is missing has all. */
export const isListed = (list: readonly string[] | undefined, name: string): boolean =>
  list === undefined || list.some(key => matchesName(key, name))

/** A skill as people look at it: what it costs in both modes, and which tools it has. */
export type ListedSkill = SkillPrice & { readonly description: string; readonly tools: readonly string[] }

/** A tool as people look at it. */
export type ListedTool = ToolSpec &
  Pick<Tool, 'approval' | 'parallel' | 'idempotent'> & {
    /** The MCP server that offers it. */
    readonly server: string | null
    /** The key of `tools.approve` that decided about its approval. */
    readonly rule: string | null
  }

export const listedTool = ({ spec, approval, parallel, idempotent, server, rule }: Tool): ListedTool => ({
  ...spec,
  approval,
  parallel,
  idempotent,
  server: server ?? null,
  rule: rule ?? null,
})

/** Gives the equipment of a workspace as its files say it now. */
export type EquipmentSource = {
  /** Starts the programs that bring tools. The engine calls it once its log is open, so a failed opening starts nothing. */
  readonly open?: () => void
  readonly now: (limits?: EquipmentLimits) => Promise<Equipment>
  readonly skills?: (count: (text: string) => number) => Promise<readonly ListedSkill[]>
  /** What is wrong now, a line each. */
  readonly troubles?: () => Promise<readonly string[]>
  /** Takes the settings as they are now, at once and not only with the next turn. */
  readonly refresh?: () => void
  /** The MCP servers; undefined if there are none to be asked here. */
  readonly servers?: () => Mcp | undefined
  readonly close?: () => Promise<void>
}

export const equipmentOf = (whole: Toolbox, { tools }: EquipmentLimits = {}): Equipment => {
  const toolbox = tools === undefined ? whole : new Map([...whole].filter(([name]) => isListed(tools, name)))
  return { toolbox, tools: [...toolbox.values()].map(({ spec }) => spec), news: [] }
}

export const NO_EQUIPMENT: Equipment = equipmentOf(NO_TOOLS)
