import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { presets } from '../engine.ts'
import type { Settings } from '../model/config.ts'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'
import { type Agents, openAgents } from './agents.ts'
import { type Environment, parseSettings, sqliteFile } from './settings.ts'

/** A folder with everything one gateway knows: its settings, its agents, its house text, its database. */
export type Workspace = {
  readonly home: string
  readonly settings: Settings
  readonly agents: Agents
  readonly database: string
}

/** Where a running gateway can be reached; written into the workspace for the command line. */
export type RunFile = { readonly url: string; readonly pid: number; readonly token: string | null }

const EXAMPLE_SETTINGS = `// Turnwise settings. Every key is optional; what stands here as a comment is the default.
// Beside this file, each read again when it changes: agents.json, who answers; AGENTS.md, house text for all of them;
// projects/<name>/CONTEXT.md, a project's own text. turnwise.db is everything that was said.
{
  // "gateway": { "host": "127.0.0.1", "port": 4242, "token": null, "hosts": [], "origins": [], "streams": 256 },
  // "store": "sqlite:turnwise.db",
  // "model": "demo",
  // "policy": "steady",        // or "recent", "head-tail", "full", "transcript", "council", or one of "policies"
  // "policies": {},            // as in { "short": { "extends": "steady", "window": { "kind": "last", "messages": 5 } } }
  // "limits": { "steps": 10, "turnMs": 600000, "historyMs": 250 }
}
`

/** The workspace a program should use, made with commented examples if there is none yet. */
export function openWorkspace(environment: Environment, { create }: { readonly create: boolean }): Result<Workspace, Fault> {
  const home = resolve(environment.TURNWISE_HOME || join(homedir(), '.turnwise'))
  const file = join(home, 'turnwise.json')
  if (!existsSync(home) && !create)
    return err(fault('not-found', `there is no workspace at ${home} yet; run "turnwise serve" once`))
  const text = readOrMake(home, file)
  if (!text.ok) return text
  const settings = parseSettings(text.value, environment)
  if (!settings.ok) return err(fault('invalid', `${file}: ${settings.fault.message}`))
  const database = sqliteFile(settings.value.store)
  if (!database.ok) return database
  const { model, policies } = settings.value
  const known = [...Object.keys(presets), ...policies.map(({ name }) => name)]
  const agents = openAgents(join(home, 'agents.json'), { model, policies: known })
  if (!agents.ok) return agents
  return ok({ home, settings: settings.value, agents: agents.value, database: resolve(home, database.value) })
}

function readOrMake(home: string, file: string): Result<string, Fault> {
  try {
    if (!existsSync(home)) {
      mkdirSync(home, { recursive: true, mode: 0o700 })
      writeFileSync(file, EXAMPLE_SETTINGS, { mode: 0o600 })
    }
    return ok(existsSync(file) ? readFileSync(file, 'utf8') : '')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('store', `the workspace ${home} cannot be used (${message}); choose another with TURNWISE_HOME`))
  }
}

const runFile = (home: string): string => join(home, 'run.json')

/** In one step, so that a reader never sees half of it; only the owner may read it, since it may hold the token. */
export function writeRunFile(home: string, run: RunFile): void {
  writeFileSync(`${runFile(home)}.new`, `${JSON.stringify(run)}\n`, { mode: 0o600 })
  renameSync(`${runFile(home)}.new`, runFile(home))
}

export const removeRunFile = (home: string): void => rmSync(runFile(home), { force: true })

/** The gateway that runs on this workspace, if one does; a file left behind by a crash is not believed. */
export function readRunFile(home: string): RunFile | undefined {
  try {
    const run = JSON.parse(readFileSync(runFile(home), 'utf8')) as RunFile
    process.kill(run.pid, 0)
    return run
  } catch {
    return undefined
  }
}
