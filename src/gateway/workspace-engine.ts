/** The options of every engine on a workspace. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EngineOptions, EquipmentSource } from '../engine.ts'
import { type RecallFrom, wider } from '../model/recall.ts'
import type { Settings } from '../model/settings/config.ts'
import { demoProvider } from '../provider/demo/demo.ts'
import { addresses } from '../provider/transport/addresses.ts'
import { type Mcp, openMcp } from '../tool/mcp/servers.ts'
import { createSignIns, type SignIns } from '../tool/mcp/sign-ins.ts'
import { type ChangingEquipment, workspaceEquipment } from '../turn/equipment/workspace-equipment.ts'
import { workspaceHouse } from '../turn/equipment/workspace-text.ts'
import { childEnvironment } from './child-environment.ts'
import { leaseMs } from './lease-ms.ts'
import type { SecretsFile } from './settings/secrets-file.ts'
import type { Environment } from './workspace/settings.ts'
import type { Workspace } from './workspace/workspace.ts'

export type EngineNeeds = {
  /** Whether to ask MCP servers for their tools. A command that only reads does not need them. */
  readonly withServers?: boolean
  /** Receives each change or problem with skills, tools and servers once, as one line. */
  readonly onNews?: (line: string) => void
}

type Options = Omit<EngineOptions, 'log' | 'agents' | 'councils'> & Pick<Required<EngineOptions>, 'agents' | 'councils'>

/** Our own launcher, which tools call as `turnwise`. */
const OWN_BINARY = fileURLToPath(new URL('../../bin/turnwise', import.meta.url))

const OLD_RULES =
  'approvals.json is no longer read: what it allowed went by a tool\'s name alone. Tools ask again; "turnwise grants" lists what is allowed now. The file can be deleted'

/** The options of every engine on a workspace, so that all of them send the same bytes. */
export function engineOptions(workspace: Workspace, environment: Environment, working: EngineNeeds = {}): Options {
  const { home, settings, live, connections, agents, councils, texts } = workspace
  if (existsSync(join(home, 'approvals.json'))) working.onNews?.(OLD_RULES)
  const lease = leaseMs(environment)
  return {
    provider: demoProvider({ delayMs: demoDelayMs(environment) }),
    changing: () => ({ ...live.now(), checked: connections.checked, check: connections.learn }),
    policies: () => [...live.now().policies, ...agents.now().policies],
    agents: () => agents.now().agents,
    councils: () => councils.now(),
    encoder: settings.memory.encoder,
    recallFrom: project => recallFrom(workspace, project),
    house: workspaceHouse(home, texts.shared),
    equipment: equipmentOf(workspace, environment, working),
    ...(lease === undefined ? {} : { leaseMs: lease }),
  }
}

/** Where the chats of a project may look for messages of others: read for each turn, so that a switch counts at once. */
async function recallFrom(
  { memory, projects }: Pick<Workspace, 'memory' | 'projects'>,
  project: string | null,
): Promise<RecallFrom> {
  const recalls = project === null ? undefined : await projects.recalls(project)
  return wider(memory.now(), recalls?.ok === true && recalls.value ? 'project' : 'session')
}

function equipmentOf(
  { home, settings, live, secrets }: Workspace,
  environment: Environment,
  { withServers = false, onNews }: EngineNeeds,
): EquipmentSource {
  let seen = { settings, gives: changingEquipment(home, settings, environment) }
  const changing = (): ChangingEquipment => {
    const now = live.now()
    if (now !== seen.settings) seen = { settings: now, gives: changingEquipment(home, now, environment) }
    return seen.gives
  }
  const listener = onNews === undefined ? {} : { onNews }
  const open = (): Mcp => {
    const { servers, ...rest } = changing().servers
    const surroundings = { environment: changing().operator.environment, directory: home, addresses }
    const signIns = signInsOf(secrets, onNews)
    return openMcp(servers, { ...rest, ...surroundings, signIns, ...(onNews === undefined ? {} : { onTrouble: onNews }) })
  }
  return workspaceEquipment({ ...changing(), changing, ...(withServers ? { mcp: open } : {}), ...listener })
}

/** Sign-ins to MCP servers, kept beside the keys of providers. */
function signInsOf(secrets: SecretsFile, onNews: EngineNeeds['onNews']): SignIns {
  return createSignIns({
    store: {
      read: name => ownValue(secrets.now().mcp, name),
      change: (name, change) =>
        secrets.update(({ mcp, ...rest }) => {
          const { [name]: _, ...others } = mcp
          const kept = change(ownValue(mcp, name))
          return { ...rest, mcp: kept === undefined ? others : { ...others, [name]: kept } }
        }),
    },
    ...(onNews === undefined ? {} : { onTrouble: onNews }),
  })
}

/** A server may be called `constructor`. */
const ownValue = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Skills, tools and servers as the settings say them. */
function changingEquipment(home: string, settings: Settings, environment: Environment): ChangingEquipment {
  const { skills, tools, mcp } = settings
  const path = environment.PATH ?? ''
  const visible = childEnvironment(settings, environment)
  return {
    skills: {
      directory: resolve(home, skills.directory),
      extraDirs: skills.extraDirs.map(folder => resolve(home, folder)),
      disabled: skills.disabled,
      contextMode: skills.contextMode,
      path,
    },
    operator: {
      accept: tools.accept,
      approve: tools.approve,
      env: tools.env,
      allowScripts: skills.allowScripts,
      path,
      // Our own tools work in this workspace, even if it is not in the default place.
      environment: { ...visible, TURNWISE_HOME: home },
      cwd: home,
      ownBinary: OWN_BINARY,
    },
    servers: {
      servers: mcp,
      approve: tools.approve,
      variables: Object.fromEntries(Object.keys(settings.variables).map(name => [name, environment[name]])),
      environment: visible,
    },
  }
}

function demoDelayMs({ TURNWISE_DEMO_DELAY_MS: given }: Environment): number {
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : 15
}
