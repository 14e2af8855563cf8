// Renders skills as system text, whole or as a list.
import type { Skill } from './skill.ts'

const FULL_INTRO = 'You have access to the following skills. Use them when relevant.\n\n'

const LISTED_INTRO =
  "You have access to the following skills. Use the read_skill tool to load a skill's full documentation when it clearly applies to the user's request.\n\n## Available skills\n\n"

/** The fields of a skill that the system text shows. */
type Readable = Pick<Skill, 'name' | 'description' | 'body'>

/** Every skill with its full text. Empty if there are no skills. */
export const fullBlock = (skills: readonly Readable[]): string =>
  skills.length === 0 ? '' : FULL_INTRO + skills.map(fullEntry).join('')

/** Every skill by its name and purpose. Empty if there are no skills. */
export const listedBlock = (skills: readonly Readable[]): string =>
  skills.length === 0 ? '' : LISTED_INTRO + skills.map(listedEntry).join('')

/** The text that one skill adds to the full block. */
export const fullEntry = ({ name, description, body }: Readable): string =>
  `## ${name}\n${description === '' ? '' : `${description}\n\n`}${body}\n\n`

/** The line that one skill adds to the list, however its description was written. */
export const listedEntry = ({ name, description }: Readable): string =>
  `- **${name}**: ${description === '' ? '(no description)' : description.replaceAll(/\s*\n\s*/g, ' ')}\n`
