// Checks whether each provider could answer now.
import { catalogued } from '../../../provider/catalog/catalog.ts'
import type { ConnectedProvider } from '../../settings/connections.ts'
import { catalogOf } from '../../workspace/models.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { needWords } from '../commands/models.ts'
import { counted } from '../output/phrase.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

/** Whether the configured model could answer now, and for each provider how it answered. */
export async function providerChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const engine = statelessEngine(workspace, environment)
  const [models, providers] = [await engine.models(), await engine.providers()]
  await engine.close(0)
  const { items } = await workspace.connections.list()
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
    ...items.map(provider => {
      const remedy = providers.find(({ name }) => name === provider.name)?.remedy
      return providerCheck(provider, wanted.has(provider.name), remedy)
    }),
  ]
}

/** What a provider answered. One that nobody connected and no agent uses may lack its key or not run. */
function providerCheck(provider: ConnectedProvider, isWanted: boolean, remedy: string | undefined): HealthCheck {
  const { name, baseURL, state, message, models, keyVariable, isRemovable, keyFrom } = provider
  const isMissed = isWanted || isRemovable || keyFrom !== null
  const connect = `run "turnwise connect ${name}"`
  if (state === 'ready') {
    return { name, state: 'ok', found: [baseURL, `ready, ${counted(models.length, 'model')}`, ...keyWords(provider)].join(', ') }
  }
  if (state === 'no-key') {
    const found = `${baseURL}, no key${keyVariable === null ? '' : `: ${keyVariable} is not set`}`
    const set = keyVariable === null ? '' : `, or set ${keyVariable}`
    return isWanted ? { name, state: 'warn', found, remedy: `${connect}${set}` } : { name, state: 'ok', found }
  }
  if (state === 'bad-key') {
    const other = keyFrom === 'environment' ? `set ${keyVariable ?? 'the variable'} to a key that is valid` : connect
    return {
      name,
      state: 'warn',
      found: [baseURL, message ?? 'the key was refused', ...keyWords(provider)].join(', '),
      remedy: other,
    }
  }
  const found = isMissed ? (message ?? `${baseURL}, no answer`) : `${baseURL}, not running`
  return isMissed
    ? { name, state: 'warn', found, remedy: remedy ?? `check the network and the address, or ${connect}` }
    : { name, state: 'ok', found }
}

const keyWords = ({ keyFrom, keyVariable }: ConnectedProvider): readonly string[] => {
  if (keyFrom === null) return []
  if (keyFrom === 'environment') return [`key from ${keyVariable ?? 'the environment'}`]
  return [`key from ${keyFrom === 'file' ? (keyVariable ?? 'turnwise.json') : 'secrets.json'}`]
}
