/** Gives voices the skills and tools that the workspace's files describe now. */
import type { SkillsByName, SystemPart } from '../../model/plan.ts'
import type { SkillMode } from '../../model/settings/config.ts'
import { priceSkills } from '../../skill/prices.ts'
import { readSkillTool } from '../../skill/read-skill.ts'
import { fullBlock, listedBlock } from '../../skill/render.ts'
import type { LoadedSkills, Skill, SkillSetting } from '../../skill/skill.ts'
import { openSkills } from '../../skill/watch.ts'
import { type Operator, type SkillFile, type SkillTools, skillTools } from '../../tool/descriptor/skill-tools.ts'
import { readToolsFile } from '../../tool/descriptor/tools-file.ts'
import type { Mcp, ServersSetting } from '../../tool/mcp/servers.ts'
import { type Tool, toolbox } from '../../tool/toolbox.ts'
import { type Equipment, type EquipmentLimits, type EquipmentSource, isListed } from './equipment.ts'

/** Everything skills and tools of a workspace are made of; paths are absolute. */
export type EquipmentSetting = {
  readonly skills: SkillSetting & { readonly contextMode: SkillMode }
  readonly operator: Operator
  /** Starts the servers that bring tools; called when the equipment is opened. */
  readonly mcp?: () => Mcp
  /** Receives what changed and what is wrong, one line each, and each line only once. */
  readonly onNews?: (line: string) => void
  /** In place of what is given beside it, asked for each turn. It gives the same object until something has changed. */
  readonly changing?: () => ChangingEquipment
}

/** What of the equipment may change without a restart. */
export type ChangingEquipment = Pick<EquipmentSetting, 'skills' | 'operator'> & { readonly servers: ServersSetting }

type Made = { readonly loaded: LoadedSkills; readonly tools: SkillTools; readonly unreadable: readonly string[] }

/** Skills and their tools as the files have them now: looked at once for each turn, and made anew only when something changed. */
export function workspaceEquipment({ mcp: connect, onNews = () => {}, changing, ...given }: EquipmentSetting): EquipmentSource {
  let seen = changing?.()
  let { skills: setting, operator } = seen ?? given
  let skills = openSkills(setting)
  const reported = new Set<string>()
  let made: Promise<Made> | undefined
  let of: LoadedSkills | undefined
  let mcp: Mcp | undefined

  const refresh = (): void => {
    const now = changing?.()
    if (now === undefined || now === seen) return
    seen = now
    if (!isSame(now.skills, setting)) skills = openSkills(now.skills)
    if (!isSame(now.operator, operator)) made = undefined
    setting = now.skills
    operator = now.operator
    mcp?.apply(now.servers)
  }
  const look = (): Promise<Made> => {
    refresh()
    const loaded = skills.now()
    if (made === undefined || loaded !== of) {
      of = loaded
      made = make(loaded, operator)
      // What failed once is tried again with the next turn.
      made.catch(() => {
        made = undefined
      })
    }
    return made
  }
  const troublesOf = ({ loaded, tools, unreadable }: Made): readonly string[] => [
    ...loaded.troubles.map(({ message }) => message),
    ...unreadable,
    ...tools.troubles.map(({ skill, message }) => `skill ${skill}: ${message}`),
    ...(mcp?.troubles() ?? []),
  ]
  const tell = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (reported.has(line)) continue
      reported.add(line)
      onNews(line)
    }
  }

  return {
    open: () => {
      mcp ??= connect?.()
    },
    now: async limits => {
      refresh()
      // A server that has just started may not have listed its tools yet.
      await mcp?.ready
      const current = await look()
      const news = skills.changed().map(line => `skill ${line}`)
      for (const line of news) onNews(line)
      tell(troublesOf(current))
      return { ...equipmentFrom(current, setting.contextMode, mcp?.tools() ?? [], limits), news }
    },
    skills: async count => {
      const { loaded, tools } = await look()
      const names = tools.tools.map(({ spec }) => spec.name)
      return priceSkills(loaded.skills, count).map((price, index) => ({
        ...price,
        description: loaded.skills[index]?.description ?? '',
        tools: names.filter(name => tools.owners.get(name) === price.name),
      }))
    },
    troubles: async () => troublesOf(await look()),
    refresh,
    servers: () => mcp,
    close: async () => mcp?.close(),
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

async function make(loaded: LoadedSkills, operator: Operator): Promise<Made> {
  const found = await Promise.all(loaded.skills.map(filesOf))
  const tools = await skillTools(
    found.flatMap(({ files }) => files),
    operator,
  )
  return { loaded, tools, unreadable: found.flatMap(({ unreadable }) => unreadable) }
}

async function filesOf({ name, folder }: Skill): Promise<{ files: readonly SkillFile[]; unreadable: readonly string[] }> {
  const text = await readToolsFile(folder)
  if (!text.ok) return { files: [], unreadable: [`skill ${name}: ${text.fault}`] }
  return { files: text.value === undefined ? [] : [{ skill: name, folder, text: text.value }], unreadable: [] }
}

/** Skills' tools in their order, then those of other programs; the tool that reads skills goes first where it is needed. */
function equipmentFrom(
  { loaded, tools }: Made,
  mode: SkillMode,
  others: readonly Tool[],
  limits: EquipmentLimits = {},
): Omit<Equipment, 'news'> {
  const skills = loaded.skills.filter(({ name }) => isListed(limits.skills, name))
  const isMeant = ({ spec: { name } }: Tool): boolean =>
    limits.tools === undefined ? isListed(limits.skills, tools.owners.get(name) ?? '') : isListed(limits.tools, name)
  const reads = readSkillTool(() => skills)
  const box = toolbox([...tools.tools.filter(isMeant), ...others.filter(({ spec }) => isListed(limits.tools, spec.name))])
  const runnable = toolbox([reads, ...box.values()])
  const specs = [...box.values()].map(({ spec }) => spec)
  if (skills.length === 0) return { toolbox: runnable, tools: specs }
  const isAuto = mode === 'auto' ? { isAuto: true as const } : {}
  const listed: SkillsByName = { text: listedBlock(skills), tools: [reads.spec, ...specs], ...isAuto }
  if (mode === 'readOnDemand') return { toolbox: runnable, tools: listed.tools, skills: part('skill.listed', listed.text) }
  return { toolbox: runnable, tools: specs, skills: part('skill.full', fullBlock(skills)), listed }
}

const part = (reason: 'skill.full' | 'skill.listed', text: string): SystemPart => ({ source: 'skills', reason, text })
