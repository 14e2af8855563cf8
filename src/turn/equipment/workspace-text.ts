/** Reads AGENTS.md and the projects' CONTEXT.md from a workspace, as parts of the system text. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemPart } from '../../model/plan.ts'
import { isProjectName, projectFile } from '../../model/settings/project.ts'
import type { Agent } from '../../model/voice.ts'
import { PROMPTS } from '../council/prompts.ts'

/** Gives the system text that goes before every conversation of an agent, each part with its source. */
export type House = {
  readonly parts: (agent: Agent, project: string | null, seat?: SeatView) => Promise<readonly SystemPart[]>
  /** The workspace's own words for a task of the house, if it has them. */
  readonly words?: (task: 'title' | 'fold') => Promise<string | undefined>
  /** The projects that a session may belong to. Without this function there are no projects. */
  readonly projects?: () => Promise<readonly string[]>
}

/** What an advisor's text depends on beside its own words. */
export type SeatView = {
  readonly phase: 'early' | 'ongoing'
  /** Whether it reads AGENTS.md, as agents do. */
  readonly isOfHouse: boolean
}

/** Texts that several nodes share, by their paths in the workspace; null for one that was removed. They win over files. */
export type SharedHouse = () => ReadonlyMap<string, string | null>

const NONE_SHARED: SharedHouse = () => new Map()

/** Reads AGENTS.md and the projects' CONTEXT.md from the workspace, once, and again whenever a file has changed. */
export function workspaceHouse(home: string, shared: SharedHouse = NONE_SHARED): House {
  const readFileAt = changingFile()
  const read = async (path: string): Promise<string | undefined> => {
    const kept = shared().get(path)
    return kept === undefined ? readFileAt(join(home, path)) : kept?.trim()
  }
  return {
    parts: async (agent, project, seat) => {
      const isOfHouse = seat === undefined || seat.isOfHouse
      const [agentsMd = '', text = '', ...council] = await Promise.all([
        isOfHouse ? read('AGENTS.md') : undefined,
        project === null || !isProjectName(project) ? undefined : read(projectFile(project)),
        ...councilPrompts(seat).map(async part => ({ ...part, text: (await read(part.source)) ?? part.text })),
      ])
      return houseParts(agent, { agentsMd, council, ...(project === null ? {} : { project: { name: project, text } }) })
    },
    words: task => read(`prompts/${task}.md`),
    projects: async () => {
      const kept = shared()
      const named = [...kept.keys()].flatMap(path => path.split('/')[1] ?? [])
      const names = [...new Set([...(await readdir(join(home, 'projects')).catch(() => [])), ...named])]
      const isProject = async (name: string): Promise<boolean> => {
        if (!isProjectName(name)) return false
        const text = kept.get(projectFile(name))
        if (text !== undefined) return text !== null
        return (await stat(join(home, projectFile(name))).catch(() => undefined))?.isFile() ?? false
      }
      const are = await Promise.all(names.map(isProject))
      return names.filter((_, index) => are[index]).sort()
    },
  }
}

/** What every advisor reads, by the file that may say it in other words; a file that is empty takes it away. */
export const councilPrompts = (seat: SeatView | undefined): readonly SystemPart[] =>
  seat === undefined
    ? []
    : [
        { source: 'prompts/council.md', reason: 'system.agent', text: PROMPTS.council },
        { source: `prompts/${seat.phase}.md`, reason: 'system.phase', text: PROMPTS[seat.phase] },
      ]

/** The voice's own text, its council's, the house text, the project's context; parts that are empty leave nothing behind. */
export function houseParts(
  agent: Agent,
  {
    agentsMd = '',
    council = [],
    project,
  }: {
    readonly agentsMd?: string
    readonly council?: readonly SystemPart[]
    readonly project?: { readonly name: string; readonly text: string }
  },
): readonly SystemPart[] {
  const isAdvisor = council.length > 0
  const parts: readonly SystemPart[] = [
    { source: `${isAdvisor ? 'advisor' : 'agent'} ${agent.key}`, reason: 'system.agent', text: agent.prompt },
    ...council,
    { source: 'AGENTS.md', reason: 'system.agents-md', text: agentsMd },
    { source: projectFile(project?.name ?? ''), reason: 'system.project', text: project?.text ?? '' },
  ]
  return parts.filter(part => part.text.trim() !== '')
}

/** A file's trimmed text, from memory while the file is the same; nothing where there is no file. */
function changingFile(): (file: string) => Promise<string | undefined> {
  const known = new Map<string, { stamp: string; text: string }>()
  return async file => {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined) return undefined
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`
    const kept = known.get(file)
    if (kept?.stamp === stamp) return kept.text
    // If a file cannot be read, its last text is used, because a turn must not fail for that.
    const text = await readFile(file, 'utf8').then(
      whole => whole.trim(),
      () => kept?.text ?? '',
    )
    known.set(file, { stamp, text })
    return text
  }
}
