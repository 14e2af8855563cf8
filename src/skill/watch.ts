// The skills of a workspace, loaded again when they change.
import { loadSkills } from './load.ts'
import type { LoadedSkills, Skill, SkillSetting } from './skill.ts'
import { isSameStamp, type Stamp, skillStamp, toolsFile } from './stamp.ts'

/** The skills of a workspace while it is open. */
export type Skills = {
  /** Looks again, and returns the same object as before unless a file changed. Once per turn is enough. */
  readonly now: () => LoadedSkills
  /** The skills that came, changed or went since the last call, one line each, for the log. */
  readonly changed: () => readonly string[]
}

/**
 * Loads the skills, and again whenever a folder, a SKILL.md or a tools.json changed. A skill with a new error stays as it
 * was.
 */
export function openSkills(setting: SkillSetting): Skills {
  // The stamp is taken before loading, so that the next look finds a change in between.
  let stamp = skillStamp(setting)
  let loaded = loadSkills(setting)
  const news: string[] = []
  return {
    now: () => {
      const seen = skillStamp(setting)
      if (isSameStamp(stamp, seen)) return loaded
      const next = loadSkills(setting, loaded.skills)
      news.push(...differences({ skills: loaded.skills, stamp }, { skills: next.skills, stamp: seen }))
      stamp = seen
      loaded = next
      return loaded
    },
    changed: () => news.splice(0),
  }
}

type Look = { readonly skills: readonly Skill[]; readonly stamp: Stamp }

function differences(before: Look, after: Look): readonly string[] {
  const known = new Map(before.skills.map(skill => [skill.name, skill]))
  const now = new Set(after.skills.map(skill => skill.name))
  return [
    ...after.skills.flatMap(skill => {
      const old = known.get(skill.name)
      if (old === undefined) return [`${skill.name}: added`]
      if (old.hash !== skill.hash || old.file !== skill.file) return [`${skill.name}: changed`]
      const tools = toolsFile(skill.folder)
      return before.stamp.get(tools) === after.stamp.get(tools) ? [] : [`${skill.name}: tools.json changed`]
    }),
    ...before.skills.filter(({ name }) => !now.has(name)).map(({ name }) => `${name}: removed`),
  ]
}
