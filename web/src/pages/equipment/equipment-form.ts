// The tools and skills that an agent or advisor may have, as the page edits them.
import type { WrittenAgent } from '../../../../src/model/voice.ts'
import type { ListedSkills, ToolRow } from '../../wire/workspace-api.ts'
import { roughTokens } from '../../words/rough-tokens.ts'
import { meantBy, serverPattern } from '../skills/rules.ts'

/** Names, or beginnings of names with a final `*`; null where there is no list. */
export type NameList = readonly string[] | null

export type EquipmentForm = { readonly tools: NameList; readonly skills: NameList }

export const NO_LISTS: EquipmentForm = { tools: null, skills: null }

export const equipmentForm = ({ tools, skills }: Pick<WrittenAgent, 'tools' | 'skills'>): EquipmentForm => ({
  tools: tools ?? null,
  skills: skills ?? null,
})

/** No list is left out of the file; an empty list is none, and is kept. */
export const equipmentFromForm = ({ tools, skills }: EquipmentForm): Pick<WrittenAgent, 'tools' | 'skills'> => ({
  ...(tools === null ? {} : { tools }),
  ...(skills === null ? {} : { skills }),
})

/** The skills and tools there are. */
export type EquipmentLists = {
  readonly skills: Pick<ListedSkills, 'items' | 'mode'>
  readonly tools: { readonly items: readonly ToolRow[] }
}

/** Something that can be chosen, and about how many tokens it adds to each request. */
export type EquipmentChoice = { readonly name: string; readonly description: string; readonly tokens: number }

export const skillChoices = ({ skills: { items, mode } }: EquipmentLists): readonly EquipmentChoice[] =>
  items.map(({ name, description, full, listed }) => ({
    ...{ name, description },
    tokens: mode === 'readOnDemand' ? listed : full,
  }))

/** Tools that come from the same place; `pattern` means all of them, also those that come later. */
export type ToolGroup = {
  readonly title: string
  readonly pattern: string | null
  readonly tools: readonly EquipmentChoice[]
}

/** Reads skills, and comes and goes with them. */
const READS_SKILLS = 'read_skill'

/** The tools by the skill or the MCP server that brings them. */
export function toolGroups({ skills, tools }: EquipmentLists): readonly ToolGroup[] {
  const rest = tools.items.filter(({ name }) => name !== READS_SKILLS)
  const choices = (of: (tool: ToolRow) => boolean): readonly EquipmentChoice[] =>
    rest.filter(of).map(({ name, description, parameters }) => ({
      ...{ name, description },
      tokens: roughTokens(JSON.stringify({ name, description, parameters })),
    }))
  const owned = new Set(skills.items.flatMap(skill => skill.tools))
  const servers = [...new Set(rest.flatMap(({ server }) => server ?? []))].sort()
  return [
    ...skills.items.map(skill => ({
      ...{ title: `Skill: ${skill.name}`, pattern: null },
      tools: choices(({ name }) => skill.tools.includes(name)),
    })),
    ...servers.map(name => ({
      ...{ title: `MCP server: ${name}`, pattern: serverPattern(name) },
      tools: choices(({ server }) => server === name),
    })),
    { title: 'Others', pattern: null, tools: choices(({ name, server }) => (server ?? null) === null && !owned.has(name)) },
  ].filter(group => group.tools.length > 0)
}

/** Whether a list has a name, by itself or by the beginning of it. */
export const hasName = (list: readonly string[], name: string): boolean => list.some(key => meantBy(key, [{ name }]) > 0)

/** An entry of a list that is none of the choices: a pattern, or a name of something that is not there now. */
export type OtherEntry = { readonly key: string; readonly means: number }

export const otherEntries = (
  list: readonly string[],
  names: readonly string[],
  patterns: readonly string[] = [],
): readonly OtherEntry[] =>
  [...new Set(list)]
    .filter(key => !names.includes(key) && !patterns.includes(key))
    .map(key => ({
      key,
      means: meantBy(
        key,
        names.map(name => ({ name })),
      ),
    }))

/** Puts an entry in or takes it out. A pattern stands for the names it means, so these are taken out with it. */
export const withEntry = (list: readonly string[], key: string, isIn: boolean): readonly string[] => {
  const others = list.filter(each => each !== key)
  return isIn ? [...others.filter(each => meantBy(key, [{ name: each }]) === 0), key] : others
}

/** About how many tokens the chosen skills and tools add to each request. Without a list it is all of them, or none of them. */
export function equipmentTokens({ tools, skills }: EquipmentForm, lists: EquipmentLists, hasAll: boolean): number {
  const [toolList, skillList] = hasAll ? [tools, skills] : [tools ?? [], skills ?? []]
  const hasSkill = (name: string): boolean => skillList === null || hasName(skillList, name)
  const left = lists.skills.items.filter(({ name }) => !hasSkill(name)).flatMap(skill => skill.tools)
  const hasTool = (name: string): boolean => (toolList === null ? !left.includes(name) : hasName(toolList, name))
  const chosen = [
    ...skillChoices(lists).filter(({ name }) => hasSkill(name)),
    ...toolGroups(lists)
      .flatMap(group => group.tools)
      .filter(({ name }) => hasTool(name)),
  ]
  return chosen.reduce((sum, { tokens }) => sum + tokens, 0)
}
