// Reads one skill from its folder.
import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '../model/result.ts'
import { attempt } from './attempt.ts'
import { forbidden, type Spot, widthless } from './characters.ts'
import { parseFrontmatter } from './frontmatter.ts'
import { isInside, readText } from './read-text.ts'
import { shownText, spelled } from './shown.ts'
import type { Skill, SkillProblem } from './skill.ts'

/** A folder of skills: its real path, and its name for people. */
export type Root = { readonly path: string; readonly label: string }

/** What one folder contains: a skill, no skill at all, or trouble. */
export type Finding = {
  readonly entry: string
  readonly file: string
  /** The file's name for people, such as `skills/notes/SKILL.md`. */
  readonly place: string
  readonly skill?: Skill
  /** Programs that the skill needs. */
  readonly bins: readonly string[]
  readonly troubles: readonly SkillProblem[]
}

/** Reads the skill in one entry of a root. It follows links only to folders inside that root. */
export function readFolder(root: Root, entry: string): Finding {
  const folder = join(root.path, entry)
  const file = join(folder, 'SKILL.md')
  const place = `${spelled(join(root.label, entry))}/SKILL.md`
  const nothing: Finding = { entry, file, place, bins: [], troubles: [] }
  const refused = (message: string): Finding => ({ ...nothing, troubles: [{ file, message, severity: 'refused' }] })

  const isFolder = folderInside(root, folder)
  if (!isFolder.ok) return refused(`${spelled(join(root.label, entry))}: ${isFolder.fault}`)
  if (!isFolder.value) return nothing
  const found = readText(root.path, file)
  if (!found.ok) return refused(`${place}: ${found.fault}`)
  if (found.value === undefined) return nothing

  const { text, bytes } = found.value
  const hidden = forbidden(text)
  if (hidden !== undefined) return refused(`${at(place, hidden)}, which is invisible; take it out`)
  const parsed = parseFrontmatter(text)
  if (!parsed.ok) return refused(`${place}:${parsed.fault.line}: ${spelled(parsed.fault.message.slice(0, LONGEST_REASON))}`)
  const { description, body, bins } = parsed.value
  const name = parsed.value.name || entry
  if (!NAME.test(name)) return refused(`${place}: ${shownText(name)} cannot name a skill; ${ALLOWED}`)
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const spot = widthless(text)
  return {
    ...nothing,
    skill: { name, description, body, folder, file, hash },
    bins,
    troubles: spot === undefined ? [] : [{ file, message: `${at(place, spot)}, which has no width`, severity: 'warned' }],
  }
}

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/
const ALLOWED = 'allowed are a-z, 0-9 and "-", at most 64, and no "-" at the beginning'
const LONGEST_REASON = 200

const at = (place: string, { line, column, character }: Spot): string => `${place}:${line}:${column}: holds ${character}`

/** True if it is a folder. Plain files beside skills are ignored. */
function folderInside(root: Root, folder: string): Result<boolean, string> {
  const real = attempt(() => realpathSync(folder))
  if (!real.ok) return err(real.fault.words)
  if (!isInside(root.path, real.value)) return err('is a link that leads out of its root')
  const stats = attempt(() => statSync(real.value))
  return stats.ok ? ok(stats.value.isDirectory()) : err(stats.fault.words)
}
