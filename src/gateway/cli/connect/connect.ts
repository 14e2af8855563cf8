// The connect and disconnect commands: connect keeps a provider's key and address after it has answered, and chooses the default model.
import type { ConnectedProvider } from '../../../model/connectable-providers.ts'
import type { StoredProvider } from '../../settings/secrets-file.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { counted } from '../output/phrase.ts'
import { complain, MISUSED, print, type Terminal } from '../output/terminal.ts'
import { type ProviderLink, providerLink } from './provider-link.ts'
import { type ConnectChoice, targetNamed, targetsIn } from './targets.ts'
import { fullName, modelNames, tryProvider, whyNotTried } from './try-provider.ts'

export type ConnectOptions = {
  readonly baseUrl?: string
  readonly keyStdin?: boolean
  readonly model?: string
  /** False: kept without asking the provider first. */
  readonly check?: boolean
  readonly json?: boolean
}

/** Asks a person at a terminal for what is missing. Otherwise everything comes from the options and standard input. */
export async function connectCommand(terminal: Terminal, name: string | undefined, options: ConnectOptions): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const isAsked = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true
  const isTold = options.keyStdin === true || options.json === true || options.check === false
  const link = await providerLink(workspace.value)
  if (isAsked && !isTold)
    return (await import('./connect-dialog.ts')).connectDialog({ terminal, workspace: workspace.value, link }, name, options)
  if (name === undefined)
    return complain(terminal, 'say which provider, as in "turnwise connect anthropic --key-stdin < key.txt"', MISUSED)
  return connectAsTold({ terminal, workspace: workspace.value, link }, name, options)
}

/** Everything that one run of the command works with. */
export type ConnectCommand = { readonly terminal: Terminal; readonly workspace: Workspace; readonly link: ProviderLink }

async function connectAsTold(connecting: ConnectCommand, name: string, options: ConnectOptions): Promise<number> {
  const { terminal, workspace, link } = connecting
  const apiKey = options.keyStdin === true ? await keyFromStdin(terminal) : undefined
  if (apiKey === '') return complain(terminal, 'no key came from standard input', MISUSED)
  const listed = await link.list()
  if (!listed.ok) return complain(terminal, listed.fault.message)
  const target = targetNamed(targetsIn(listed.value), name)
  const baseURL = options.baseUrl ?? (target.present === undefined ? target.baseURL : undefined)
  const wanted: StoredProvider = { ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) }
  const wrong = whyNotTried(target, wanted)
  if (wrong !== undefined) return complain(terminal, `${name}: ${wrong}`, MISUSED)
  if (options.check !== false) {
    const check = await tryProvider(workspace, target, wanted)
    if (check.state !== 'ready') return complain(terminal, `${check.message ?? check.state}; nothing was saved`)
    const models = modelNames(name, check)
    if (options.model !== undefined && models.length > 0 && !models.includes(fullName(name, options.model)))
      return complain(terminal, `${name} has no model "${options.model}"; it has ${someOf(models)}; nothing was saved`)
  }
  const model = options.model === undefined ? undefined : fullName(name, options.model)
  const kept = await keep(connecting, target, wanted, model)
  if (typeof kept === 'string') return complain(terminal, kept)
  const standard = model ?? workspace.live.now().model
  if (options.json === true) print(terminal, jsonForTerminal({ provider: kept, model: standard }))
  else print(terminal, ...toldLines(kept, model, standard).map(escapeToOneLine))
  return 0
}

const SHOWN_MODELS = 8

const someOf = (models: readonly string[]): string =>
  models.slice(0, SHOWN_MODELS).join(', ') + (models.length > SHOWN_MODELS ? ', …' : '')

function toldLines({ name, title, models, message }: ConnectedProvider, model: string | undefined, standard: string): string[] {
  return [
    `${title} is connected, with ${counted(models.length, 'model')}.`,
    ...(message === null ? [] : [`${message}.`]),
    model === undefined
      ? `The default model is still ${standard}; choose another with "turnwise connect ${name} --model ${models[0] ?? '<model>'}".`
      : `The default model is ${standard} from the next turn on.`,
  ]
}

/** Saves what is wanted, then the default model. Says in one sentence what could not be saved. */
export async function keep(
  { workspace, link }: ConnectCommand,
  { name, title, present }: ConnectChoice,
  wanted: StoredProvider,
  model: string | undefined,
): Promise<ConnectedProvider | string> {
  const kept = Object.keys(wanted).length === 0 ? undefined : await link.connect(name, wanted)
  if (kept?.ok === false) return kept.fault.message
  const chosen = model === undefined || model === workspace.live.now().model ? undefined : await link.chooseModel(model)
  if (chosen?.ok === false)
    return `${kept === undefined ? '' : `${title} is connected, but `}the default model stays ${workspace.live.now().model}: ${chosen.fault.message}`
  return kept?.value ?? present ?? `there is nothing to save for ${title}`
}

async function keyFromStdin({ stdin }: Terminal): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8').trim()
}

/** Keys in the environment and in turnwise.json stay; what is said then names the place. */
export async function disconnectCommand(
  terminal: Terminal,
  name: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const link = await providerLink(workspace.value)
  const done = await link.disconnect(name)
  if (!done.ok) return complain(terminal, done.fault.message)
  if (json === true) print(terminal, jsonForTerminal({ name }))
  else print(terminal, `${escapeToOneLine(name)} is disconnected; its key is deleted from secrets.json.`)
  return 0
}
