import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemPart } from '../model/plan.ts'
import type { Agent } from '../model/voice.ts'

/** The text that stands before every conversation of an agent, each part with its source. */
export type House = {
  readonly parts: (agent: Agent, project: string | null) => Promise<readonly SystemPart[]>
  /** The projects a session may belong to; none where this is left out. */
  readonly projects?: () => Promise<readonly string[]>
}

/** What a project's folder may be called: never a way out of its place. */
const PROJECT = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u

/** Reads AGENTS.md and the projects' CONTEXT.md from the workspace, once, and again whenever a file has changed. */
export function workspaceHouse(home: string): House {
  const read = changingFile()
  return {
    parts: async (agent, project) => {
      const [agentsMd, context] = await Promise.all([
        read(join(home, 'AGENTS.md')),
        project === null || !PROJECT.test(project) ? '' : read(contextFile(home, project)),
      ])
      return houseParts(agent, agentsMd, project === null ? undefined : { name: project, text: context })
    },
    projects: async () => {
      const names = await readdir(join(home, 'projects')).catch(() => [])
      const isProject = async (name: string): Promise<boolean> =>
        PROJECT.test(name) && ((await stat(contextFile(home, name)).catch(() => undefined))?.isFile() ?? false)
      const are = await Promise.all(names.map(isProject))
      return names.filter((_, index) => are[index]).sort()
    },
  }
}

const contextFile = (home: string, project: string): string => join(home, 'projects', project, 'CONTEXT.md')

/** The agent's own text, the house text, the project's context; parts that are empty leave nothing behind. */
export function houseParts(
  agent: Agent,
  agentsMd: string,
  project?: { readonly name: string; readonly text: string },
): readonly SystemPart[] {
  const parts: readonly SystemPart[] = [
    { source: `agent ${agent.key}`, reason: 'system.agent', text: agent.prompt },
    { source: 'AGENTS.md', reason: 'system.agents-md', text: agentsMd },
    { source: `projects/${project?.name}/CONTEXT.md`, reason: 'system.project', text: project?.text ?? '' },
  ]
  return parts.filter(part => part.text.trim() !== '')
}

/** A file's trimmed text, from memory while the file is the same; no file is no text. */
function changingFile(): (file: string) => Promise<string> {
  const known = new Map<string, { stamp: string; text: string }>()
  return async file => {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined) return ''
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`
    const kept = known.get(file)
    if (kept?.stamp === stamp) return kept.text
    // A file that is there and cannot be read is as it last was: a turn must not fail for it.
    const text = await readFile(file, 'utf8').then(
      whole => whole.trim(),
      () => kept?.text ?? '',
    )
    known.set(file, { stamp, text })
    return text
  }
}
