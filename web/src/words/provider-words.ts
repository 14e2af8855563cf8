// Words for providers: how they are, and where their keys come from.
import type { ConnectedProvider, ProviderState } from '../../../src/model/connectable-providers.ts'

const STATES: Readonly<Record<ProviderState, string>> = {
  ready: 'Ready',
  'no-key': 'No key',
  'bad-key': 'Wrong key',
  unreachable: 'Not reachable',
  unchecked: 'Not checked',
}

/** A state from a newer gateway is shown as it is. */
export const providerStateWords = (state: ProviderState): string => (Object.hasOwn(STATES, state) ? STATES[state] : state)

export const modelCountWords = (count: number): string =>
  count === 0 ? 'no models yet' : count === 1 ? '1 model' : `${count.toLocaleString('en-US')} models`

/** What a provider is good for, in a few words; empty while that is not known. */
export function foundWords({ name, state, models }: ConnectedProvider): string {
  if (state === 'ready' && name === 'ollama') return `Running here: ${modelCountWords(models.length)}`
  if (state === 'ready') return `Ready: ${modelCountWords(models.length)}`
  return state === 'bad-key' ? 'Wrong key' : ''
}

/** What the last check said of a provider, which begins with its name in the settings; people know it by its title. */
export const providerMessageWords = ({ name, title, message }: ConnectedProvider): string | null =>
  message?.startsWith(`${name} `) === true ? `${title}${message.slice(name.length)}` : message

/** Where the key comes from; null if there is none. */
export function keySourceWords({ hasKey, last4, keyFrom, keyVariable }: ConnectedProvider): string | null {
  if (!hasKey) return null
  const end = last4 === null ? 'Key' : `Key ending in ${last4}`
  if (keyFrom === 'environment') return `${end}, from ${keyVariable ?? 'a variable'} in the environment`
  if (keyFrom === 'file') return `${end}, from turnwise.json`
  return `${end}, saved in secrets.json`
}

/** Said where a key in the environment leaves nothing to enter. */
export const environmentKeyWords = ({ keyVariable, last4 }: ConnectedProvider): string =>
  `${keyVariable ?? 'A variable'} is set in the environment and is used${last4 === null ? '' : ` (it ends in ${last4})`}. To use another key, change it where Turnwise is started.`

/** An address without its scheme, as people say it. */
export const shortAddress = (address: string): string => address.replace(/^https?:\/\//, '').replace(/\/$/, '')
