// The defaults that lists of policies and skills mention.
import type { Settings } from '../model/settings/config.ts'

/** The settings that are shown beside the lists they affect. */
export type ListedDefaults = {
  readonly policy: string
  readonly skills: {
    readonly mode: Settings['skills']['contextMode']
    readonly disabled: readonly string[]
    /** As written in the settings. */
    readonly directories: readonly string[]
  }
}

export const listedDefaults = ({ policy, skills }: Pick<Settings, 'policy' | 'skills'>): ListedDefaults => ({
  policy,
  skills: {
    mode: skills.contextMode,
    disabled: skills.disabled,
    directories: [skills.directory, ...skills.extraDirs],
  },
})
