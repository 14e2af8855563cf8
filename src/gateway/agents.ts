import { readFileSync, statSync } from 'node:fs'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'
import { type AgentsFile, type AgentsSetting, parseAgents } from './agents-file.ts'

/** The agents of a workspace, as its file has them now. */
export type Agents = {
  /** Looks at the file first; an edit that cannot be used leaves the agents as they were. */
  readonly now: () => AgentsFile
  /** What is wrong with the file as it is now; the agents are those of its last good state. */
  readonly trouble: () => string | undefined
}

const NOBODY: AgentsFile = { agents: [], policies: [] }

/** Reads `agents.json`, and again whenever it has changed; a file that is wrong from the start is refused. */
export function openAgents(file: string, setting: AgentsSetting): Result<Agents, Fault> {
  let stamp = stampOf(file)
  const first = stamp === undefined ? ok(NOBODY) : read(file, setting)
  if (!first.ok) return first
  let good = first.value
  let trouble: string | undefined
  const look = (): void => {
    const seen = stampOf(file)
    if (seen === stamp) return
    stamp = seen
    const changed =
      seen === undefined ? err(fault('invalid', `${file}: it is gone; restart to do without it`)) : read(file, setting)
    if (changed.ok) good = changed.value
    trouble = changed.ok ? undefined : changed.fault.message
  }
  return ok({
    now: () => {
      look()
      return good
    },
    trouble: () => {
      look()
      return trouble
    },
  })
}

/** Changes whenever the file does, to the nanosecond; nothing if there is none. */
function stampOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino}`
}

function read(file: string, setting: AgentsSetting): Result<AgentsFile, Fault> {
  try {
    const parsed = parseAgents(readFileSync(file, 'utf8'), setting)
    return parsed.ok ? parsed : err(fault('invalid', `${file}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${file}: it cannot be read (${message})`))
  }
}
