// The types of skills: one skill, all loaded skills, and where they come from.

/** A folder that teaches a voice something: its name, its purpose, and its full text. */
export type Skill = {
  readonly name: string
  /** Empty if the file has no description. */
  readonly description: string
  readonly body: string
  /** The path under its root. The folder may be a link that stays inside that root. */
  readonly folder: string
  readonly file: string
  /** The hash of the file's bytes. */
  readonly hash: string
}

/** A problem that a skill's author should know about. `message` is a whole line that begins with the place. */
export type SkillProblem = { readonly file: string; readonly message: string; readonly severity: 'refused' | 'warned' }

/** All skills in the order in which they are sent, and the problems with others. */
export type LoadedSkills = { readonly skills: readonly Skill[]; readonly troubles: readonly SkillProblem[] }

/** Where skills come from. Paths are absolute. */
export type SkillSetting = {
  /** This folder need not exist. */
  readonly directory: string
  /** Each of these must exist. A skill of a later folder replaces one with the same name. */
  readonly extraDirs: readonly string[]
  readonly disabled: readonly string[]
  /** The PATH to search for the programs that skills need. */
  readonly path: string
}
