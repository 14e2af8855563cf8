// Renders skills as system text, whole or as a list.
import type { Skill } from './skill.ts'

const FULL_INTRO = 'You have access to the following skills. Use them when relevant.\n\n'

const LISTED_INTRO =
  "You have access to the following skills. Use the read_skill tool to load a skill's full documentation when it clearly applies to the user's request.\n\n## Available skills\n\n"

/** What a skill is to a reader of the system text. */
type Readable = Pick<Skill, 'name' | 'description' | 'body'>

/** Every skill with its whole text; nothing at all where there are no skills. */
export const fullBlock = (skills: readonly Readable[]): string =>
  skills.length === 0 ? '' : FULL_INTRO + skills.map(fullEntry).join('')

/** Every skill by its name and what it is for; nothing at all where there are no skills. */
export const listedBlock = (skills: readonly Readable[]): string =>
  skills.length === 0 ? '' : LISTED_INTRO + skills.map(listedEntry).join('')

/** What one skill adds to the full block. */
export const fullEntry = ({ name, description, body }: Readable): string =>
  `## ${name}\n${description === '' ? '' : `${description}\n\n`}${body}\n\n`

/** What one skill adds to the list: one line, however its description was written. */
export const listedEntry = ({ name, description }: Readable): string =>
  `- **${name}**: ${description === '' ? '(no description)' : description.replaceAll(/\s*\n\s*/g, ' ')}\n`
