// The skills that a new workspace gets.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SHIPPED = fileURLToPath(new URL('../../../skills', import.meta.url))

/** The skills a new workspace begins with; from then on they are its owner's. */
const FIRST_SKILLS = ['clock', 'notes']

/** Their files, by their paths in the workspace. */
export const firstSkills = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    FIRST_SKILLS.flatMap(skill =>
      ['SKILL.md', 'tools.json'].map(file => [`skills/${skill}/${file}`, readFileSync(join(SHIPPED, skill, file), 'utf8')]),
    ),
  )
