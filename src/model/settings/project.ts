/** Names of projects, and what makes one unusable as a folder. */

/** What a project's folder may be called: never a way out of its place. Many scripts write their vowels as marks. */
const FORM = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._ -]{0,63}$/u

/** Names that some systems keep for their devices, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** What most systems let a folder's name have. */
const MOST_BYTES = 255

export const isProjectName = (name: string): boolean => FORM.test(name)

/** Why a new project cannot have this name, or undefined if it can. Its folder has to work on every system. */
export function whyNoProject(name: string): string | undefined {
  if (!isProjectName(name))
    return 'a project’s name has letters, digits, ".", "_", "-" and spaces, begins with a letter or a digit, and is not longer than 64'
  if (new TextEncoder().encode(name).length > MOST_BYTES) return 'this name is too long for a folder; choose a shorter one'
  if (/[. ]$/.test(name)) return 'a project’s name does not end in a dot or a space'
  return DEVICE.test(name) ? 'this name is reserved; choose another' : undefined
}

/** The file of the workspace that has a project's own text. */
export const projectFile = (name: string): string => `projects/${name}/CONTEXT.md`

/** The file of the workspace that has a project's own settings. */
export const projectSettingsFile = (name: string): string => `projects/${name}/project.json`
