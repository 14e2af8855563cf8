// Asks a person at a terminal for a provider, its key and a model. Nothing is saved before the last answer.
import { autocomplete, cancel, intro, isCancel, log, outro, password, select, text } from '@clack/prompts'
import type { ProviderCheck } from '../../../provider/catalog/model-list.ts'
import type { StoredProvider } from '../../settings/secrets-file.ts'
import { whyNoAddress, whyNoKey, whyNoProviderName } from '../../workspace/providers.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { complain, MISUSED } from '../output/terminal.ts'
import { type ConnectCommand, type ConnectOptions, keep } from './connect.ts'
import { type ConnectChoice, targetHint, targetNamed, targetsIn } from './targets.ts'
import { fullName, modelNames, tryProvider, whyNotTried } from './try-provider.ts'

/** Thrown by a prompt that a person left with Ctrl-C or Escape. Only the dialog itself sees it. */
class Left extends Error {}

const INTERRUPTED = 130
const OTHER = ''
const KEEP = ''

export async function connectDialog(
  connecting: ConnectCommand,
  name: string | undefined,
  options: ConnectOptions,
): Promise<number> {
  const { stdin: input, stdout: output } = connecting.terminal
  try {
    intro('Connect a model', { output })
    return await dialog(connecting, { input, output }, name, options)
  } catch (cause) {
    if (!(cause instanceof Left)) throw cause
    cancel('Nothing was saved.', { output })
    return INTERRUPTED
  }
}

type Streams = { readonly input: ConnectCommand['terminal']['stdin']; readonly output: ConnectCommand['terminal']['stdout'] }

async function dialog(
  connecting: ConnectCommand,
  on: Streams,
  name: string | undefined,
  options: ConnectOptions,
): Promise<number> {
  const { terminal, workspace, link } = connecting
  const listed = await link.list()
  if (!listed.ok) return complain(terminal, listed.fault.message)
  const targets = targetsIn(listed.value)
  const target = name === undefined ? await chooseTarget(on, targets) : targetNamed(targets, name)
  const wrong = whyNoProviderName(target.name)
  if (wrong !== undefined) return complain(terminal, `${target.name}: ${wrong}`, MISUSED)
  const found = await tried(connecting, on, target, options)
  if (found === undefined) return 1
  const current = workspace.live.now().model
  const wish = options.model === undefined ? undefined : fullName(target.name, options.model)
  const model = wish ?? (found.check.state === 'ready' ? await chooseModel(on, target, found.check, current) : undefined)
  const kept = await keep(connecting, target, found.wanted, model)
  if (typeof kept === 'string') return complain(terminal, kept)
  if (kept.message !== null && kept.state === 'ready') log.warn(escapeToOneLine(kept.message), on)
  const now = model ?? current
  outro(
    kept.state === 'ready'
      ? escapeToOneLine(`${target.title} is connected. The default model is ${now}; try it with "turnwise chat".`)
      : escapeToOneLine(`Saved. ${target.title} is not ready yet; "turnwise doctor" looks again.`),
    on,
  )
  return 0
}

async function chooseTarget(on: Streams, targets: readonly ConnectChoice[]): Promise<ConnectChoice> {
  const name = answered(
    await select({
      message: 'Where do your models run?',
      options: [
        ...targets.map(target => ({ value: target.name, label: target.title, hint: escapeToOneLine(targetHint(target)) })),
        { value: OTHER, label: 'Other OpenAI-compatible server', hint: "one that speaks OpenAI's chat completions" },
      ],
      ...on,
    }),
  )
  if (name !== OTHER) return targetNamed(targets, name)
  const own = await text({
    message: 'Name this server, for example lan',
    validate: value => whyNoProviderName(value ?? ''),
    ...on,
  })
  return targetNamed(targets, answered(own).trim())
}

type Tried = { readonly wanted: StoredProvider; readonly check: ProviderCheck }

/** Asks for key and address until the provider answers, or the person wants to save it as it is. Undefined if that cannot be. */
async function tried(
  { terminal, workspace }: ConnectCommand,
  on: Streams,
  target: ConnectChoice,
  { baseUrl }: ConnectOptions,
): Promise<Tried | undefined> {
  const { title, present } = target
  const isByVariable = present?.keyFrom === 'environment'
  if (isByVariable && baseUrl === undefined)
    log.info(`The key comes from ${present.keyVariable ?? 'the environment'}, which is set in the environment.`, on)
  let baseURL = baseUrl ?? (await addressOf(on, target))
  let apiKey = isByVariable && baseURL === undefined ? undefined : await keyOf(on, target, baseURL)
  while (true) {
    const wanted: StoredProvider = { ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) }
    const wrong = whyNotTried(target, wanted)
    if (wrong !== undefined) {
      complain(terminal, wrong)
      return undefined
    }
    log.step(`Checking ${title}…`, on)
    const check = await tryProvider(workspace, target, wanted)
    if (check.state === 'ready') return { wanted, check }
    log.error(escapeToOneLine(check.message ?? check.state), on)
    if (check.state !== 'unreachable') {
      if (isByVariable && baseURL === undefined) {
        complain(
          terminal,
          `set ${present.keyVariable ?? 'the variable'} to a key that is valid, or take it out and connect again`,
        )
        return undefined
      }
      apiKey = await keyOf(on, target, baseURL, true)
      continue
    }
    const next = answered(await select({ message: 'What would you like to do?', options: afterSilence(target), ...on }))
    if (next === 'stop') throw new Left()
    if (next === 'save') return { wanted, check }
    if (next === 'address') baseURL = await askAddress(on, target, baseURL)
  }
}

const afterSilence = ({ isServer }: ConnectChoice): { value: string; label: string }[] => [
  { value: 'again', label: 'Try again' },
  ...(isServer ? [{ value: 'address', label: 'Change the address' }] : []),
  { value: 'save', label: 'Save it anyway' },
  { value: 'stop', label: 'Quit without saving' },
]

/** Undefined keeps the address as it is. A server that answers need not be asked for. */
async function addressOf(on: Streams, target: ConnectChoice): Promise<string | undefined> {
  const { isServer, present, baseURL } = target
  if (present === undefined) return isServer ? askAddress(on, target, baseURL) : baseURL
  if (!isServer || present.state === 'ready' || present.addressFrom === 'environment') return undefined
  const typed = await askAddress(on, target, present.baseURL)
  return typed === present.baseURL ? undefined : typed
}

const askAddress = async (on: Streams, { name, title }: ConnectChoice, now: string | undefined): Promise<string> =>
  answered(
    await text({
      message: `${title} server address`,
      placeholder: 'http://127.0.0.1:8000/v1',
      ...(now === undefined ? {} : { initialValue: now }),
      validate: value => whyNoAddress(name, value?.trim() ?? '', []),
      ...on,
    }),
  ).trim()

/** Undefined keeps the key that is there, or none. */
async function keyOf(
  on: Streams,
  target: ConnectChoice,
  baseURL: string | undefined,
  isAgain = false,
): Promise<string | undefined> {
  const { title, needsKey, keyPage, present } = target
  if (!needsKey && present !== undefined && baseURL === undefined && !isAgain) return undefined
  // A key belongs to its address.
  const canKeep = !isAgain && baseURL === undefined && present?.hasKey === true && present.state !== 'bad-key'
  const isNeeded = (needsKey || isAgain) && !canKeep
  if (isNeeded && keyPage !== null && !isAgain) log.info(`Get a key at ${keyPage}`, on)
  const hint = canKeep ? ' (press Enter to keep the current key)' : isNeeded ? '' : ' (leave empty if not needed)'
  const typed = await password({
    message: `${isAgain ? 'Try another ' : ''}${title} API key${hint}`,
    validate: value => {
      const key = value?.trim() ?? ''
      return key === '' ? (isNeeded ? 'Paste the key here, or leave with Ctrl-C.' : undefined) : whyNoKey(key)
    },
    ...on,
  })
  // An empty answer may be undefined.
  const key = ((answered(typed) as string | undefined) ?? '').trim()
  return key === '' ? undefined : key
}

/** Undefined keeps the default model. */
async function chooseModel(on: Streams, { name, title }: ConnectChoice, check: ProviderCheck, current: string) {
  const models = modelNames(name, check)
  if (models.length === 0) {
    log.info(`${title} lists no models.`, on)
    const typed = await text({ message: `Model name (leave empty to keep ${current} as the default)`, ...on })
    const model = ((answered(typed) as string | undefined) ?? '').trim()
    return model === '' ? undefined : fullName(name, model)
  }
  const chosen = await autocomplete({
    message: 'Choose the default model (type to search)',
    maxItems: 10,
    options: [
      ...models.map(model => ({ value: model, label: escapeToOneLine(model) })),
      { value: KEEP, label: `Keep ${escapeToOneLine(current)}` },
    ],
    ...(models.includes(current) ? { initialValue: current } : {}),
    ...on,
  })
  return answered(chosen) === KEEP ? undefined : answered(chosen)
}

function answered<Value>(answer: Value): Exclude<Value, symbol> {
  if (isCancel(answer)) throw new Left()
  return answer as Exclude<Value, symbol>
}
