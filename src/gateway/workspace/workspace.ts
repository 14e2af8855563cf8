/** Opens a workspace, and records where its gateway listens. */
import { existsSync, mkdirSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Leases } from '../../log/open-store.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { parseStore } from '../../model/settings/store-address.ts'
import { existingHome, homeOf } from '../files/home.ts'
import type { SharedTexts } from '../files/shared-texts.ts'
import { fileTexts, type TextSource, type WorkspaceTexts } from '../files/text-source.ts'
import { readRegularFileSync, writeWorkspaceFile, writeWorkspaceFileSync } from '../files/workspace-file.ts'
import { type Connections, openConnections } from '../settings/connections.ts'
import { type EditableSettings, editableSettings } from '../settings/edit-settings.ts'
import { followSettings, type LiveSettings } from '../settings/live-settings.ts'
import { openSecrets, type SecretsFile } from '../settings/secrets-file.ts'
import { sharedSecrets } from '../settings/shared-secrets.ts'
import { agentsSetting, councilsSetting, modelsInUse, whyMissed } from '../settings/used-settings.ts'
import { type Agents, openAgents } from './agents.ts'
import { type Councils, openCouncils } from './councils.ts'
import { firstCouncil } from './first-council.ts'
import { type MemorySettings, openMemorySettings } from './memory-settings.ts'
import { type ModelWindows, openModelWindows } from './model-windows.ts'
import { openProjects, type Projects } from './projects.ts'
import { type Environment, nodeSettingsIn, parseSettings, secretsIn, withoutNodeSettings } from './settings.ts'

/** A folder with everything one gateway knows: settings, agents, councils, house text and database. */
export type Workspace = {
  readonly home: string
  /** The settings at the start. */
  readonly settings: Settings
  /** The settings as the files have them now. */
  readonly live: LiveSettings
  readonly editable: EditableSettings
  readonly secrets: SecretsFile
  readonly connections: Connections
  readonly agents: Agents
  readonly councils: Councils
  readonly projects: Projects
  readonly windows: ModelWindows
  readonly memory: MemorySettings
  /** Where the texts that people edit are kept. */
  readonly texts: WorkspaceTexts
  /** The path of the SQLite file, or the address of the PostgreSQL database, which may contain a password. */
  readonly database: string
  /** What several nodes share; not there where the store is a file. */
  readonly shared?: SharedWorkspace
}

/** The part of a workspace that is kept in a store which several nodes share. */
export type SharedWorkspace = {
  readonly texts: SharedTexts
  readonly leases: Leases
  readonly close: () => Promise<void>
}

/** Where a running gateway can be reached, written into the workspace for the command line. */
export type GatewayAddress = { readonly url: string; readonly pid: number; readonly token: string | null }

const EXAMPLE_SETTINGS = `// Turnwise settings. Every key is optional; what stands here as a comment is the default.
// Beside this file, each read again when it changes: agents.json, who answers; councils.json, advisors who answer side by
// side, and prompts/, what councils are told; AGENTS.md, house text for all agents; projects/<name>/CONTEXT.md, a project's
// own text; skills/<name>/SKILL.md and tools.json, what they can do.
// turnwise.db is everything that was said, and what people allowed tools to do.
{
  // "gateway": { "host": "127.0.0.1", "port": 4242, "token": null, "hosts": [], "origins": [], "streams": 256 },
  // "store": "sqlite:turnwise.db",   // or "postgres://…", which several machines can share: docs/scale.md
  // "model": "demo",           // or anthropic/…, openai/…, openrouter/…, ollama/…, compatible/…; "turnwise models" lists them
  // "policy": "steady",        // or "recent", "head-tail", "full", "transcript", "council", or one of "policies"
  // "policies": {},            // as in { "short": { "extends": "steady", "window": { "kind": "last", "messages": 5 } } }
  // "providers": {},           // as in { "anthropic": { "apiKey": "$ANTHROPIC_API_KEY" }, "lan": { "baseURL": "http://127.0.0.1:8000/v1" } }
  // "models": {},              // as in { "ollama/llama3.2": { "window": 8192, "price": { "input": 0, "output": 0 } } }
  // "skills": { "directory": "skills", "extraDirs": [], "disabled": [], "contextMode": "auto", "allowScripts": false },
  // "tools": { "accept": [], "approve": {}, "env": {} },   // as in { "accept": ["git"], "approve": { "notes_create": "auto" }, "env": { "notes_search": ["NOTES_DIR"] } }
  // "memory": { "from": "session", "encoder": null },   // from "project" or "everywhere": chats also look up what was said in others, read again when it changes; encoder "minilm-l6-v2", once its packages are installed
  // "mcp": {},                 // as in { "files": { "command": "mcp-files", "args": [] }, "docs": { "url": "https://…" } }
  // "channels": {},            // as in { "telegram": { "botToken": "$TELEGRAM_BOT_TOKEN", "chats": [123456] } }
  // "limits": { "steps": 50, "turnMs": 3600000, "tokensPerTurn": 2000000, "historyMs": 250, "budgetUsdPerDay": null, "budgetUsdPerRound": null },
  // "resume": { "mode": "auto", "withinMinutes": 10, "continuations": 1 },   // or "ask": turns that were cut off wait for a person
  // "titles": { "auto": true }   // name chats automatically
}
`

/**
 * Opens the workspace for a program, and creates it with commented examples if it is missing. What several nodes share is opened
 * before, by `enterWorkspace`.
 */
export function openWorkspace(
  environment: Environment,
  { create, shared }: { readonly create: boolean; readonly shared?: SharedWorkspace },
): Result<Workspace, Fault> {
  const home = homeOf(environment)
  const file = join(home, 'turnwise.json')
  const nodeText = readSettingsText(environment, { create })
  if (!nodeText.ok) return nodeText
  const texts = shared?.texts ?? fileTexts(home)
  const source = shared === undefined ? texts.at('turnwise.json') : sharedSettings(shared.texts)
  const text = shared === undefined ? nodeText : readText(source)
  if (!text.ok) return text
  const own = shared === undefined ? undefined : nodeSettingsIn(nodeText.value)
  if (own?.ok === false) return err(fault('invalid', `${file}: ${own.fault.message}`))
  const local = openSecrets(join(home, 'secrets.json'))
  if (!local.ok) return local
  const secrets =
    shared === undefined ? local : sharedSecrets(local.value, shared.texts.kept('secrets.json'), shared.texts.canSeal)
  if (!secrets.ok) return secrets
  const settings = parseSettings(text.value, environment, secrets.value.now().providers, own?.value)
  if (!settings.ok) return err(fault('invalid', `${source.title()}: ${settings.fault.message}`))
  const open = whyTooOpen(file, nodeText.value)
  if (open !== undefined) return err(fault('invalid', open))
  const address = parseStore(settings.value.store)
  if (!address.ok) return address
  if (address.value.kind === 'postgres' && shared === undefined)
    return err(fault('bug', 'a workspace on PostgreSQL is opened by enterWorkspace'))
  const live = followSettings(source, {
    ...{ environment, secrets: secrets.value, first: settings.value, text: text.value },
    ...(own === undefined ? {} : { own: own.value }),
  })
  const agents = openAgents(texts.at('agents.json'), agentsSetting(live.now))
  if (!agents.ok) return agents
  const councils = openCouncils(texts.at('councils.json'), councilsSetting(live.now))
  if (!councils.ok) return councils
  const editable = editableSettings({
    live,
    environment,
    whyMissed: changed => whyMissed(changed, { agents: agents.value, councils: councils.value }),
  })
  const connections = openConnections({
    settings: live.now,
    secrets: secrets.value,
    modelsInUse: () => modelsInUse(live.now(), { agents: agents.value, councils: councils.value }),
  })
  return ok({
    home,
    settings: settings.value,
    live,
    editable,
    secrets: secrets.value,
    connections,
    agents: agents.value,
    councils: councils.value,
    projects: openProjects(texts),
    windows: openModelWindows(editable),
    memory: openMemorySettings(live, editable),
    texts,
    database: address.value.kind === 'postgres' ? address.value.url : resolve(home, address.value.file),
    ...(shared === undefined ? {} : { shared }),
  })
}

/** The text of the node's own `turnwise.json`, which is made with commented examples if there is no workspace yet. */
export function readSettingsText(environment: Environment, { create }: { readonly create: boolean }): Result<string, Fault> {
  const home = homeOf(environment)
  const existing = create ? ok(home) : existingHome(environment)
  return existing.ok ? readOrMake(home, join(home, 'turnwise.json')) : existing
}

/** What a node reads from its own file is not shared with the others. */
function sharedSettings(texts: SharedTexts): TextSource {
  const source = texts.at('turnwise.json')
  return { ...source, write: (text, expected) => source.write(withoutNodeSettings(text), expected) }
}

function readText(source: TextSource): Result<string, Fault> {
  try {
    return ok(source.stamp() === undefined ? '' : source.read())
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${source.title()}: it cannot be read (${message})`))
  }
}

function readOrMake(home: string, file: string): Result<string, Fault> {
  try {
    if (!existsSync(home)) {
      mkdirSync(home, { recursive: true, mode: 0o700 })
      const files = { 'turnwise.json': EXAMPLE_SETTINGS, ...firstSkills(), ...firstCouncil() }
      for (const [path, text] of Object.entries(files)) {
        const put = writeWorkspaceFileSync(home, path, text, { isNew: true })
        if (!put.ok) return put
      }
    }
    return ok(existsSync(file) ? readFileSync(file, 'utf8') : '')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('store', `the workspace ${home} cannot be used (${message}); choose another with TURNWISE_HOME`))
  }
}

/** Why a settings file that other users of the machine can read is refused. Only a file that contains a secret is. */
function whyTooOpen(file: string, text: string): string | undefined {
  const [secret] = secretsIn(text)
  // Windows stores permissions elsewhere.
  if (secret === undefined || process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return undefined
  return `${file}: other users can read it, and ${secret} stands in it; run "chmod 600 ${file}", or write "$NAME" there and set the variable`
}

const RUN_FILE = 'run.json'
const runFile = (home: string): string => join(home, RUN_FILE)

/**
 * Only the owner may read the file, because it may contain the token. An existing file, which may have any mode, is removed
 * first.
 */
export async function writeGatewayAddress(home: string, run: GatewayAddress): Promise<Result<null, Fault>> {
  removeGatewayAddress(home)
  const written = await writeWorkspaceFile(home, RUN_FILE, `${JSON.stringify(run)}\n`)
  return written.ok ? ok(null) : written
}

/** Removes the address file. Where several gateways share a folder, one that stops leaves the file of another. */
export function removeGatewayAddress(home: string, pid?: number): void {
  try {
    if (pid !== undefined && readGatewayAddress(home)?.pid !== pid) return
    unlinkSync(runFile(home))
  } catch {
    // There is no such file, or it is not ours.
  }
}

/** The gateway that runs on this workspace, if any. An address file that a crash left behind is ignored. */
export function readGatewayAddress(home: string): GatewayAddress | undefined {
  try {
    const run = JSON.parse(readRegularFileSync(runFile(home))) as GatewayAddress
    process.kill(run.pid, 0)
    return run
  } catch {
    return undefined
  }
}

const SHIPPED = fileURLToPath(new URL('../../../skills', import.meta.url))

/** The skills that a new workspace begins with. From then on the owner may change them. */
const FIRST_SKILLS = ['clock', 'notes']

/** The files of the skills, by their paths in the workspace. */
const firstSkills = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    FIRST_SKILLS.flatMap(skill =>
      ['SKILL.md', 'tools.json'].map(file => [`skills/${skill}/${file}`, readFileSync(join(SHIPPED, skill, file), 'utf8')]),
    ),
  )
