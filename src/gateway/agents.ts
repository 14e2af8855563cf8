import type { Fault } from '../model/fault.ts'
import type { Result } from '../model/result.ts'
import { type AgentsFile, type AgentsSetting, parseAgents } from './agents-file.ts'
import { type FollowedFile, followFile } from './followed-file.ts'

/** The agents of a workspace, as its file has them now. */
export type Agents = FollowedFile<AgentsFile>

/** Reads `agents.json`, and again whenever it has changed; a file that is wrong from the start is refused. */
export const openAgents = (file: string, setting: AgentsSetting): Result<Agents, Fault> =>
  followFile(file, { none: { agents: [], policies: [] }, parse: text => parseAgents(text, setting) })
