// Counts the tokens that each skill costs.
import { fullEntry, listedEntry } from './render.ts'
import type { Skill } from './skill.ts'

/** What a skill costs every request, in tokens: with its whole text, or only on the list. */
export type SkillPrice = { readonly name: string; readonly full: number; readonly listed: number }

/** The price of each skill in both modes, as `count` counts. */
export const priceSkills = (skills: readonly Skill[], count: (text: string) => number): readonly SkillPrice[] =>
  skills.map(skill => ({ name: skill.name, full: count(fullEntry(skill)), listed: count(listedEntry(skill)) }))
