// Checks whether each provider could answer now.
import type { ConnectedProvider } from '../../../model/connectable-providers.ts'
import { catalogued } from '../../../provider/catalog/catalog.ts'
import { catalogOf } from '../../workspace/models.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { needWords } from '../commands/models.ts'
import { providerLink } from '../connect/provider-link.ts'
import { counted } from '../output/phrase.ts'
import { gatewayCall, runningGateway } from '../talk/attached.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

/** The part of a list of models that says whether the default one can be asked. */
type DefaultModel = {
  readonly default: string
  readonly items: readonly { readonly name: string; readonly needs?: string | undefined }[]
}

/**
 * Whether the configured model could answer now, and for each provider how it answered. A running gateway is asked, because its
 * environment decides which keys and addresses count.
 */
export async function providerChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const engine = statelessEngine(workspace, environment)
  const [own, providers] = [await engine.models(), await engine.providers()]
  await engine.close(0)
  const models = (await modelsOfGateway(workspace.home)) ?? own
  const listed = await (await providerLink(workspace)).list()
  const { items } = listed.ok ? listed.value : await workspace.connections.list()
  const { settings, agents, councils } = workspace
  const advisors = councils.now().flatMap(council => council.advisors)
  const inUse = [models.default, ...[...agents.now().agents, ...advisors].flatMap(({ model }) => model ?? [])]
  const providersOf = (names: readonly string[]): readonly string[] =>
    names.map(name => catalogued(name, catalogOf(settings))).flatMap(entry => (entry.ok ? entry.value.provider : []))
  const wanted = new Set(providersOf(inUse))
  const [asked] = providersOf([models.default])
  return [
    modelCheck(
      models,
      items.find(({ name }) => name === asked),
    ),
    ...items.map(provider => {
      const remedy = providers.find(({ name }) => name === provider.name)?.remedy
      return providerCheck(provider, wanted.has(provider.name), remedy)
    }),
  ]
}

/** A model that needs nothing is still of no use while its provider does not answer. */
function modelCheck({ default: model, items }: DefaultModel, provider: ConnectedProvider | undefined): HealthCheck {
  const name = 'model'
  const needs = items.find(item => item.name === model)?.needs
  if (needs !== undefined)
    return { name, state: 'warn', found: `${model} cannot be asked yet`, remedy: needWords(needs, provider?.name ?? '') }
  if (provider === undefined || provider.state === 'ready' || provider.state === 'unchecked')
    return { name, state: 'ok', found: `${model} is ready` }
  return { name, state: 'warn', found: `${model} cannot be asked now`, remedy: `see ${provider.name} below` }
}

async function modelsOfGateway(home: string): Promise<DefaultModel | undefined> {
  const gateway = await runningGateway(home)
  const answered = gateway === undefined ? undefined : await gatewayCall(gateway, 'GET', '/models')
  if (answered?.ok !== true) return undefined
  const models = (await answered.value.json().catch(() => ({}))) as Partial<DefaultModel>
  return typeof models.default === 'string' && Array.isArray(models.items) ? (models as DefaultModel) : undefined
}

/** What a provider answered. One that is not connected and that no agent uses may lack its key or not run. */
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
