// Counts the tokens that each skill costs.
import { fullEntry, listedEntry } from './render.ts'
import type { Skill } from './skill.ts'

/** How many tokens a skill adds to every request: with its full text, or only on the list. */
export type SkillPrice = { readonly name: string; readonly full: number; readonly listed: number }

/** The price of each skill in both modes, counted by `count`. */
export const priceSkills = (skills: readonly Skill[], count: (text: string) => number): readonly SkillPrice[] =>
  skills.map(skill => ({ name: skill.name, full: count(fullEntry(skill)), listed: count(listedEntry(skill)) }))
