// The projects of a workspace and their folders.
import { join } from 'node:path'
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isProjectName, projectFile, projectSettingsFile, whyNoProject } from '../../model/settings/project.ts'
import { fileStamp } from '../files/followed-file.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { withValue } from '../files/jsonc-edit.ts'
import { readRegularFile, whyUnwritable, writeWorkspaceFile } from '../files/workspace-file.ts'
import { complaints } from './complaint.ts'

/** A project, the text before every conversation in it, and whether its chats may quote each other. */
export type Project = { readonly name: string; readonly context: string; readonly recall: boolean }

/** What a project's own settings file may say. */
type ProjectSettings = Pick<Project, 'recall'>

/** The projects of a workspace, always as their folders are now. */
export type Projects = {
  readonly read: (name: string) => Promise<Result<Project, Fault>>
  /** Creates a project, or replaces its text. */
  readonly write: (project: Pick<Project, 'name' | 'context'>) => Promise<Result<Project, Fault>>
  /** Lets the chats of a project quote each other, or not. */
  readonly setRecall: (name: string, recall: boolean) => Promise<Result<Project, Fault>>
  /** Whether they may. A settings file that is wrong lets them not, and is a fault. */
  readonly recalls: (name: string) => Promise<Result<boolean, Fault>>
}

const NOWHERE = fault('conflict', 'this gateway has no workspace to keep projects in')

/** Without a workspace there are no projects. */
export const NO_PROJECTS: Projects = {
  read: async name => err(missing(name)),
  write: async () => err(NOWHERE),
  setRecall: async () => err(NOWHERE),
  recalls: async () => ok(false),
}

const settingsSchema: z.ZodType<ProjectSettings, unknown> = z.strictObject({ recall: z.boolean().default(false) })

export function openProjects(home: string): Projects {
  const recalls: Projects['recalls'] = async name => {
    if (!isProjectName(name)) return ok(false)
    const file = join(home, projectSettingsFile(name))
    const text = await readOr(file, '{}')
    if (!text.ok) return text
    const settings = parseProjectSettings(text.value)
    return settings.ok ? ok(settings.value.recall) : err(fault('invalid', `${file}: ${settings.fault.message}`))
  }
  const read: Projects['read'] = async name => {
    if (!isProjectName(name)) return err(missing(name))
    try {
      const context = await readRegularFile(join(home, projectFile(name)))
      const recall = await recalls(name)
      return ok({ name, context, recall: recall.ok && recall.value })
    } catch (cause) {
      return err(NOT_THERE.has(codeOf(cause)) ? missing(name) : unusable(name, cause))
    }
  }
  return {
    read,
    recalls,
    write: async ({ name, context }) => {
      const why = whyNoProject(name)
      if (why !== undefined) return err(fault('invalid', `name: ${why}`))
      const written = await writeWorkspaceFile(home, projectFile(name), context)
      return written.ok ? read(name) : written
    },
    setRecall: async (name, recall) => {
      const known = await read(name)
      if (!known.ok) return known
      const path = projectSettingsFile(name)
      const file = join(home, path)
      const inTheWay = whyUnwritable(home, path)
      if (inTheWay !== undefined) return err(inTheWay)
      const stamp = fileStamp(file)
      const before = await readOr(file, '{}\n')
      if (!before.ok) return before
      const wrong = parseProjectSettings(before.value)
      if (!wrong.ok) return err(fault('conflict', `${file}: ${wrong.fault.message}; until that is fixed nothing is written`))
      const text = withValue(before.value, ['recall'], recall)
      const written = await writeWorkspaceFile(home, path, text, () => fileStamp(file) === stamp)
      if (!written.ok) return written
      const isDone = written.value
      return isDone
        ? ok({ ...known.value, recall })
        : err(fault('conflict', `${file}: somebody else has just written it; try again`))
    },
  }
}

function parseProjectSettings(text: string): Result<ProjectSettings, Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  const parsed = settingsSchema.safeParse(file.value)
  return parsed.success ? ok(parsed.data) : err(fault('invalid', complaints(settingsSchema, file.value, parsed.error).join('; ')))
}

/** A file of the workspace, or this text if there is none. */
async function readOr(file: string, none: string): Promise<Result<string, Fault>> {
  try {
    return ok(await readRegularFile(file))
  } catch (cause) {
    const code = codeOf(cause)
    return code === 'ENOENT' || code === 'ENOTDIR' ? ok(none) : err(fault('conflict', `${file}: it cannot be read (${code})`))
  }
}

const missing = (name: string): Fault => fault('not-found', `there is no project "${name}"`)

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'])

const unusable = (name: string, cause: unknown): Fault =>
  fault('store', `the project "${name}" cannot be used (${codeOf(cause)})`)

/** The code of a system error. An error without one is our own bug. */
function codeOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException
  if (code === undefined) throw cause
  return code
}
