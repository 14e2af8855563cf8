// The skills that a new workspace gets.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SHIPPED = fileURLToPath(new URL('../../../skills', import.meta.url))

/** The skills that a new workspace begins with. From then on the owner may change them. */
const FIRST_SKILLS = ['clock', 'notes']

/** The files of the skills, by their paths in the workspace. */
export const firstSkills = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    FIRST_SKILLS.flatMap(skill =>
      ['SKILL.md', 'tools.json'].map(file => [`skills/${skill}/${file}`, readFileSync(join(SHIPPED, skill, file), 'utf8')]),
    ),
  )
