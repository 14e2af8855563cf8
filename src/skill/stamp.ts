// Notices changes of skill folders without opening files.
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from './attempt.ts'
import type { SkillSetting } from './skill.ts'

/** How each file that matters to skills looks from outside, by its path. */
export type Stamp = ReadonlyMap<string, string>

/** Looks at the folders of skills without opening a file. Equal stamps mean that nothing must be read again. */
export function skillStamp({ directory, extraDirs }: SkillSetting): Stamp {
  const seen = new Map<string, string>()
  const look = (path: string): unknown => seen.set(path, looks(path))
  for (const given of [directory, ...extraDirs]) {
    const root = attempt(() => realpathSync(given))
    if (!root.ok) continue
    look(root.value)
    const entries = attempt(() => readdirSync(root.value, { withFileTypes: true }))
    for (const entry of entries.ok ? entries.value : []) {
      if (!entry.isDirectory() && !entry.isSymbolicLink()) continue
      const folder = join(root.value, entry.name)
      look(folder)
      look(join(folder, 'SKILL.md'))
      look(toolsFile(folder))
    }
  }
  return seen
}

/** The file that describes a skill's tools. */
export const toolsFile = (folder: string): string => join(folder, 'tools.json')

export const isSameStamp = (a: Stamp, b: Stamp): boolean =>
  a.size === b.size && [...a].every(([path, looked]) => b.get(path) === looked)

/** Includes the time of the last status change, because a copy may keep the time of writing. */
function looks(path: string): string {
  const stats = attempt(() => lstatSync(path, { bigint: true }))
  if (!stats.ok) return stats.fault.code
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats.value
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(' ')
}
