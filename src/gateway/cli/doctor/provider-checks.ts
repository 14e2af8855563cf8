// Checks whether each provider could answer now.
import type { ListedProvider } from '../../../engine.ts'
import { catalogued } from '../../../provider/catalog/catalog.ts'
import { catalogOf } from '../../workspace/models.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { needWords } from '../commands/models.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

/** Whether the configured model could answer now, and for each provider its address and whether its key is set. */
export async function providerChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const engine = statelessEngine(workspace, environment)
  const [models, providers] = [await engine.models(), await engine.providers()]
  await engine.close(0)
  const { settings, agents, councils } = workspace
  const advisors = councils.now().flatMap(council => council.advisors)
  const inUse = [settings.model, ...[...agents.now().agents, ...advisors].flatMap(({ model }) => model ?? [])]
  const wanted = new Set(
    inUse.map(name => catalogued(name, catalogOf(settings))).flatMap(entry => (entry.ok ? entry.value.provider : [])),
  )
  const needs = models.items.find(({ name }) => name === models.default)?.needs
  return [
    needs === undefined
      ? { name: 'model', state: 'ok', found: `${models.default} is ready` }
      : { name: 'model', state: 'warn', found: `${models.default} cannot be asked yet`, remedy: needWords(needs) },
    ...providers.map(provider => providerCheck(provider, wanted.has(provider.name))),
  ]
}

/** A provider that no agent uses may lack its key. */
function providerCheck(provider: ListedProvider, isWanted: boolean): HealthCheck {
  const { name, baseURL, keyName, hasKey, isRunning, remedy } = provider
  const running = isRunning === undefined ? [] : [isRunning ? 'running' : 'not running']
  const key = keyName === undefined ? [] : [hasKey ? `key from ${keyName}` : `no key: ${keyName} is not set`]
  const found = [baseURL, ...running, ...key].join(', ')
  const remedies = [...(hasKey || keyName === undefined ? [] : [`set ${keyName}`]), ...(remedy === undefined ? [] : [remedy])]
  if (!isWanted || remedies.length === 0) return { name, state: 'ok', found }
  return { name, state: 'warn', found, remedy: remedies.join('; ') }
}
