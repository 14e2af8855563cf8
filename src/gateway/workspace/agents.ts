/** The agents of a workspace and their file. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { ASSISTANT, type WrittenAgent } from '../../model/voice.ts'
import { editFile } from '../files/edited-file.ts'
import type { FollowedFile } from '../files/followed-file.ts'
import { parseJsonc } from '../files/jsonc.ts'
import type { TextSource } from '../files/text-source.ts'
import { type AgentsFile, type AgentsSetting, parseAgents } from './agents-file.ts'

/** The agents of a workspace, always as its file has them now. Edits are written to the file one after another. */
export type Agents = FollowedFile<AgentsFile> & {
  /** What an agent may name here. */
  readonly setting: AgentsSetting
  /** Adds or replaces an agent. The first edit also writes the built-in agent to the file. */
  readonly put: (agent: WrittenAgent) => Promise<Result<WrittenAgent, Fault>>
  readonly remove: (key: string) => Promise<Result<null, Fault>>
}

const EMPTY_FILE: AgentsFile = { agents: [], policies: [], written: [] }
const NOWHERE = fault('conflict', 'this gateway has no workspace to keep agents in')

/** Without a workspace no agents are stored. */
export const NO_AGENTS: Agents = {
  now: () => EMPTY_FILE,
  trouble: () => undefined,
  setting: { model: 'demo', policies: [], catalog: { models: {}, servers: [] }, isBudgeted: false },
  put: async () => err(NOWHERE),
  remove: async () => err(NOWHERE),
}

const HEADER = `// Agents: who answers. This file is read again whenever it changes.
// Turnwise writes it anew when an agent is edited elsewhere. Your own comments are lost then; agents.json.bak has them.
`

/** Reads `agents.json`, and again whenever it has changed. A file that is wrong from the start is refused. */
export function openAgents(file: string | TextSource, setting: AgentsSetting): Result<Agents, Fault> {
  const parse = (text: string): Result<AgentsFile, Fault> => parseAgents(text, setting)
  const edited = editFile(file, { none: EMPTY_FILE, nothing: '{ "agents": {} }', parse, header: HEADER })
  if (!edited.ok) return edited
  const { now, trouble, edit } = edited.value
  return ok({
    now,
    trouble,
    setting,
    put: agent =>
      edit(text => {
        const before = parse(text)
        if (!before.ok) return before
        // Chats that use the built-in agent keep it, and it stays first, so new chats still get it.
        const isFirst = before.value.written.length === 0 && agent.key !== ASSISTANT.key
        const whole = withAgents(text, isFirst ? [ASSISTANT, agent] : [agent])
        if (!whole.ok) return whole
        const after = parse(whole.value)
        return after.ok ? ok({ text: whole.value, answer: agent }) : after
      }),
    remove: key =>
      edit(text => {
        const before = parse(text)
        if (!before.ok) return before
        const known = before.value.written.map(agent => agent.key)
        if (!known.includes(key)) return err(missing(key, known))
        const whole = changed(text, { [key]: undefined })
        return whole.ok ? ok({ text: whole.value, answer: null }) : whole
      }),
  })
}

/** What the operator should know about a file that is fine: keys of other programs that mean nothing here. */
export const remarkOn = ({ now }: Pick<Agents, 'now'>): string | undefined => {
  const { remark } = now()
  return remark === undefined ? undefined : `agents.json: ${remark}`
}

/** Complains about an unknown agent and names the known ones. */
export const missing = (key: string, known: readonly string[]): Fault =>
  fault('not-found', `there is no agent "${key}"; ${known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`}`)

const withAgents = (text: string, agents: readonly WrittenAgent[]): Result<string, Fault> =>
  changed(text, Object.fromEntries(agents.map(({ key, ...agent }) => [key, agent])))

/** The file with some agents changed, or removed where undefined, and everything else as it was. */
function changed(text: string, changes: Readonly<Record<string, object | undefined>>): Result<string, Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  const agents = { ...(file.value.agents ?? {}), ...changes }
  return ok(`${HEADER}${JSON.stringify({ ...file.value, agents }, null, 2)}\n`)
}
