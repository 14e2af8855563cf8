// What a person can connect, in the order in which the choices are shown.
import { type ConnectedProvider, keyPageOf, type ProviderList, providerTitle } from '../../../model/connectable-providers.ts'
import { HOSTED_NAMES } from '../../../provider/providers.ts'
import { counted } from '../output/phrase.ts'

/** A provider that is connected already, one of the known services, or a server under a name of its own. */
export type ConnectChoice = {
  readonly name: string
  readonly title: string
  /** Undefined for a server whose address has to be asked for. */
  readonly baseURL: string | undefined
  readonly needsKey: boolean
  /** Where the vendor gives out keys. */
  readonly keyPage: string | null
  /** Whether a person may have it at another address. */
  readonly isServer: boolean
  /** How the gateway or workspace knows it, if it does. */
  readonly present: ConnectedProvider | undefined
}

const ORDER = ['anthropic', 'openai', 'openrouter', 'gemini', 'ollama', 'lmstudio', 'vllm', 'llamacpp']

export function targetsIn({ items, templates }: ProviderList): readonly ConnectChoice[] {
  const present = items.map((provider): ConnectChoice => {
    const { name, title, baseURL, needsKey } = provider
    const isServer = name === 'ollama' || (!HOSTED_NAMES.includes(name) && name !== 'gemini')
    return { name, title, baseURL, needsKey, keyPage: keyPageOf(name), isServer, present: provider }
  })
  const known = templates.map(
    ({ name, title, baseURL, needsKey, keyPage, isLocal }): ConnectChoice => ({
      ...{ name, title, baseURL, needsKey, keyPage },
      isServer: isLocal,
      present: undefined,
    }),
  )
  const placeOf = ({ name }: ConnectChoice): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return [...present, ...known].sort((one, other) => placeOf(one) - placeOf(other))
}

/** A name that is not known is a compatible server of the person's own. */
export const targetNamed = (targets: readonly ConnectChoice[], name: string): ConnectChoice =>
  targets.find(target => target.name === name) ?? {
    name,
    title: providerTitle(name),
    baseURL: undefined,
    needsKey: false,
    keyPage: null,
    isServer: true,
    present: undefined,
  }

/** How it is with a target, in a few words. */
export function targetHint({ present, needsKey, baseURL }: ConnectChoice): string {
  if (present === undefined) return needsKey ? 'needs a key' : (baseURL ?? '')
  const { state, models, baseURL: at } = present
  if (state === 'ready') return `connected, ${counted(models.length, 'model')}`
  if (state === 'bad-key') return 'its key was refused'
  if (state === 'no-key') return 'needs a key'
  return `does not answer at ${at}`
}
