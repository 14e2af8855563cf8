/** The projects of a workspace and their texts. */
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isProjectName, projectFile, projectSettingsFile, whyNoProject } from '../../model/settings/project.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { withValue } from '../files/jsonc-edit.ts'
import { fileTexts, type TextSource, type WorkspaceTexts } from '../files/text-source.ts'
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

/** An edit that meets another one is made again, so many times. */
const MOST_TRIES = 5

export function openProjects(place: string | WorkspaceTexts): Projects {
  const texts = typeof place === 'string' ? fileTexts(place) : place
  const recalls: Projects['recalls'] = async name => {
    if (!isProjectName(name)) return ok(false)
    const source = texts.at(projectSettingsFile(name))
    const text = readOr(source, '{}')
    if (!text.ok) return text
    const settings = parseProjectSettings(text.value)
    return settings.ok ? ok(settings.value.recall) : err(fault('invalid', `${source.title()}: ${settings.fault.message}`))
  }
  const read: Projects['read'] = async name => {
    if (!isProjectName(name)) return err(missing(name))
    try {
      const context = texts.at(projectFile(name)).read()
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
      const written = await texts.at(projectFile(name)).replace(context)
      return written.ok ? read(name) : written
    },
    setRecall: async (name, recall) => {
      const known = await read(name)
      if (!known.ok) return known
      const source = texts.at(projectSettingsFile(name))
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const written = await writeRecall(source, recall)
        if (!written.ok) return written
        if (written.value) return ok({ ...known.value, recall })
      }
      return err(fault('conflict', `${source.title()}: another program keeps writing it; try again`))
    },
  }
}

/** False: the text has changed meanwhile. */
async function writeRecall(source: TextSource, recall: boolean): Promise<Result<boolean, Fault>> {
  const inTheWay = source.whyUnwritable()
  if (inTheWay !== undefined) return err(inTheWay)
  const stamp = source.stamp()
  const before = readOr(source, '{}\n')
  if (!before.ok) return before
  const wrong = parseProjectSettings(before.value)
  if (!wrong.ok)
    return err(fault('conflict', `${source.title()}: ${wrong.fault.message}; until that is fixed nothing is written`))
  return source.write(withValue(before.value, ['recall'], recall), stamp)
}

function parseProjectSettings(text: string): Result<ProjectSettings, Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  const parsed = settingsSchema.safeParse(file.value)
  return parsed.success ? ok(parsed.data) : err(fault('invalid', complaints(settingsSchema, file.value, parsed.error).join('; ')))
}

/** A text of the workspace, or this one if there is none. */
function readOr(source: TextSource, none: string): Result<string, Fault> {
  try {
    return ok(source.read())
  } catch (cause) {
    const code = codeOf(cause)
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? ok(none)
      : err(fault('conflict', `${source.title()}: it cannot be read (${code})`))
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
