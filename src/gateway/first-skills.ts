import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SHIPPED = fileURLToPath(new URL('../../skills', import.meta.url))

/** The skills a new workspace begins with; from then on they are its owner's. */
const FIRST_SKILLS = ['clock', 'notes']

/** Copies them in; the workspace must have no skills yet. */
export function putFirstSkills(home: string): void {
  for (const skill of FIRST_SKILLS) {
    const folder = join(home, 'skills', skill)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const file of ['SKILL.md', 'tools.json'])
      writeFileSync(join(folder, file), readFileSync(join(SHIPPED, skill, file)), { mode: 0o600, flag: 'wx' })
  }
}
