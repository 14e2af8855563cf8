// Loads all skills in a fixed order.
import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempt } from './attempt.ts'
import { missingPrograms } from './programs.ts'
import { type Finding, readFolder } from './read-folder.ts'
import { shownText, spelled } from './shown.ts'
import type { LoadedSkills, Skill, SkillProblem, SkillSetting } from './skill.ts'

/**
 * Loads all skills in a fixed order: folder after folder, each sorted by name. A later skill replaces an earlier one with the
 * same name. If a file can no longer be used, its skill in `previous` stays.
 */
export function loadSkills(setting: SkillSetting, previous: readonly Skill[] = []): LoadedSkills {
  const disabled = new Set(setting.disabled)
  const unknown = new Set(disabled)
  const skills = new Map<string, Skill>()
  const troubles: SkillProblem[] = []
  for (const root of rootsOf(setting)) {
    const { findings, troubles: ofRoot } = lookInto(root, previous)
    troubles.push(...ofRoot)
    const here = new Map<string, Finding>()
    for (const finding of findings.toSorted(byName)) {
      const { skill, troubles: ofFolder } = finding
      unknown.delete(nameOf(finding))
      if (disabled.has(nameOf(finding))) continue
      const lacking = missingPrograms(finding.bins, setting.path)
      troubles.push(...ofFolder, ...needs(finding, lacking))
      if (skill === undefined || lacking.length > 0) continue
      troubles.push(...twins(finding, here.get(skill.name)))
      here.set(skill.name, finding)
      skills.set(skill.name, skill)
    }
  }
  return { skills: [...skills.values()], troubles: [...troubles, ...strangers(unknown, setting.directory)] }
}

/** A folder of skills. The workspace's own folder may be missing; an extra folder must exist. */
type Place = { readonly given: string; readonly label: string; readonly mustExist: boolean }

const rootsOf = ({ directory, extraDirs }: SkillSetting): readonly Place[] => [
  { given: directory, label: basename(directory), mustExist: false },
  ...extraDirs.map(given => ({ given, label: given, mustExist: true })),
]

function lookInto({ given, label, mustExist }: Place, previous: readonly Skill[]): Looked {
  const refused = (words: string): SkillProblem => ({ file: given, message: `${spelled(label)}: ${words}`, severity: 'refused' })
  const real = attempt(() => realpathSync(given))
  if (!real.ok) {
    const isExpected = real.fault.code === 'ENOENT' && !mustExist
    const words = real.fault.code === 'ENOENT' ? 'there is no such folder' : real.fault.words
    return { findings: [], troubles: isExpected ? [] : [refused(words)] }
  }
  const path = real.value
  const entries = attempt(() => readdirSync(path, { withFileTypes: true }))
  if (!entries.ok) {
    const kept = previous.filter(skill => dirname(skill.folder) === path)
    return { findings: kept.map(skill => asItWas(skill, label)), troubles: [refused(entries.fault.words)] }
  }
  const findings = entries.value
    .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
    .map(entry => keepLastGood(readFolder({ path, label }, entry.name), previous))
  return { findings, troubles: [] }
}

type Looked = { readonly findings: readonly Finding[]; readonly troubles: readonly SkillProblem[] }

const asItWas = (skill: Skill, label: string): Finding => {
  const entry = basename(skill.folder)
  return { entry, file: skill.file, place: `${spelled(join(label, entry))}/SKILL.md`, skill, bins: [], troubles: [] }
}

function keepLastGood(finding: Finding, previous: readonly Skill[]): Finding {
  if (finding.skill !== undefined || finding.troubles.length === 0) return finding
  const skill = previous.find(({ file }) => file === finding.file)
  if (skill === undefined) return finding
  const troubles = finding.troubles.map(each => ({ ...each, message: `${each.message}; the skill stays as it last was` }))
  return { ...finding, skill, troubles }
}

const nameOf = ({ skill, entry }: Finding): string => skill?.name ?? entry

const byName = (a: Finding, b: Finding): number => order(nameOf(a), nameOf(b)) || order(a.entry, b.entry)

/** Compares by code units, which is the same on every machine. */
const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

function needs({ file, place }: Finding, lacking: readonly string[]): readonly SkillProblem[] {
  if (lacking.length === 0) return []
  return [{ file, message: `${place}: needs ${lacking.map(shownText).join(', ')}, not found on PATH`, severity: 'refused' }]
}

function twins({ file, place }: Finding, other: Finding | undefined): readonly SkillProblem[] {
  if (other === undefined) return []
  const message = `${place}: has the name of ${other.place}, and takes its place`
  return [{ file, message, severity: 'warned' }]
}

const strangers = (names: ReadonlySet<string>, file: string): readonly SkillProblem[] =>
  [...names].map(name => ({ file, message: `skills.disabled: there is no skill named ${shownText(name)}`, severity: 'warned' }))
