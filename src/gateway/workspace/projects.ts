// The projects of a workspace and their folders.
import { join } from 'node:path'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isProjectName, projectFile, whyNoProject } from '../../model/settings/project.ts'
import { readRegularFile, writeWorkspaceFile } from '../files/workspace-file.ts'

/** A project and the text before every conversation in it. */
export type Project = { readonly name: string; readonly context: string }

/** The projects of a workspace, always as their folders are now. */
export type Projects = {
  readonly read: (name: string) => Promise<Result<Project, Fault>>
  /** Creates a project, or replaces its text. */
  readonly write: (project: Project) => Promise<Result<Project, Fault>>
}

/** Without a workspace there are no projects. */
export const NO_PROJECTS: Projects = {
  read: async name => err(missing(name)),
  write: async () => err(fault('conflict', 'this gateway has no workspace to keep projects in')),
}

export function openProjects(home: string): Projects {
  return {
    read: async name => {
      if (!isProjectName(name)) return err(missing(name))
      try {
        return ok({ name, context: await readRegularFile(join(home, projectFile(name))) })
      } catch (cause) {
        return err(NOT_THERE.has(codeOf(cause)) ? missing(name) : unusable(name, cause))
      }
    },
    write: async project => {
      const { name, context } = project
      const why = whyNoProject(name)
      if (why !== undefined) return err(fault('invalid', `name: ${why}`))
      const written = await writeWorkspaceFile(home, projectFile(name), context)
      return written.ok ? ok(project) : written
    },
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
