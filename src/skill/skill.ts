/** Something a voice can be taught by a folder: what it is called, what it is for, and its whole text. */
export type Skill = {
  readonly name: string
  /** Empty where the file says nothing. */
  readonly description: string
  readonly body: string
  /** Its place under the root it was found in; the folder may be a link that stays inside that root. */
  readonly folder: string
  readonly file: string
  /** Of the file's bytes. */
  readonly hash: string
}

/** Something about a skill that its author should hear of; `message` is a whole line that begins with the place. */
export type SkillProblem = { readonly file: string; readonly message: string; readonly severity: 'refused' | 'warned' }

/** All skills there are, in the order in which they are sent, and what was wrong with others. */
export type LoadedSkills = { readonly skills: readonly Skill[]; readonly troubles: readonly SkillProblem[] }

/** Where skills come from; paths are absolute. */
export type SkillSetting = {
  /** Need not exist. */
  readonly directory: string
  /** Each must exist; a skill of a later one replaces one of the same name. */
  readonly extraDirs: readonly string[]
  readonly disabled: readonly string[]
  /** The PATH on which the programs that skills need are looked for. */
  readonly path: string
}
