// Words for faults: what happened, and what to do.
import { providerTitle } from '../../../src/model/connectable-providers.ts'
import type { Fault, FaultKind } from '../../../src/model/fault.ts'

/** Trouble as a person reads it: what happened, what exactly was said, and what to do. Null is nothing to add. */
export type FaultWords = { readonly words: string; readonly detail: string | null; readonly remedy: string | null }

/** The provider that was asked, if any: `ollama/llama3.2` is a model of `ollama`. */
type Asked = { readonly provider: string; readonly model: string }

/** A key that is fine, of an account without credit. */
export const isUnpaid = (message: string): boolean => message.includes('(402)')

/** The short form, where there is room for one line only. */
const WORDS: Record<FaultKind, (provider: string, message: string) => string> = {
  invalid: () => 'The request was not valid',
  unauthorized: (provider, message) =>
    isUnpaid(message)
      ? `${provider} needs payment`
      : /needs a key/.test(message)
        ? `${provider} needs a key`
        : `${provider} did not accept the key`,
  'not-found': provider => `${provider} does not know this model`,
  conflict: () => 'Something else changed this at the same time',
  'too-large': () => 'The reply was too large',
  'too-long': () => 'The conversation is too long for this model',
  budget: () => 'The budget does not allow this request',
  throttled: provider => `${provider} asked us to slow down`,
  overloaded: provider => `${provider} is overloaded`,
  unreachable: provider => `${provider} could not be reached`,
  timeout: provider => `${provider} took too long`,
  garbled: () => 'The reply broke off in the middle',
  rejected: provider => `${provider} rejected the request`,
  refused: () => 'The model declined to answer',
  denied: () => 'The tool call was denied',
  tool: () => 'A tool failed',
  cancelled: () => 'Stopped',
  store: () => 'The store did not answer',
  bug: () => 'Something went wrong inside Turnwise',
}

/** What to do, unless the message itself says so. */
const REMEDIES: Record<FaultKind, ((asked: Asked, message: string) => string) | null> = {
  invalid: () => 'Check the settings that the message names, and try again.',
  unauthorized: ({ provider }, message) =>
    isUnpaid(message) ? 'Add credit to your account there, then try again.' : keyRemedy(provider, keyIn(message)),
  'not-found': ({ model }) => `Check the name ${model}, or choose another model.`,
  conflict: () => 'Try again.',
  'too-large': () => 'Ask for something shorter, or choose another model.',
  'too-long': () => 'Keep messages out, choose a policy that sends less, or a model with a larger window.',
  budget: () => 'Raise the limit in the settings, choose a cheaper model, or wait until tomorrow (UTC).',
  throttled: ({ provider }) => `Wait until ${provider} takes requests again, then try again.`,
  overloaded: ({ provider }) => `Try again in a moment; if it stays so, look whether ${provider} has trouble.`,
  unreachable: ({ provider }, message) => reachRemedy(provider, message),
  timeout: () => 'Try again; a slow model may need longer timeouts in the settings.',
  garbled: () => 'Try again; what was said so far is kept.',
  rejected: ({ model }) => `Try another model than ${model}, or look at what the provider says.`,
  refused: () => 'Say it in other words, or ask another model.',
  denied: null,
  tool: () => 'Open the tool’s card to see what it said.',
  cancelled: null,
  store: () => 'Look whether the disk is full, then try again. Nothing that was saved is lost.',
  bug: () => 'Try again; the log of the gateway says what happened.',
}

/** One line; `model` is the model that was asked, null if unknown. */
export function faultWords({ kind, message }: Pick<Fault, 'kind' | 'message'>, model: string | null = null): string {
  // A kind from a newer gateway is shown as it is.
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind](askedOf(model).provider, message) : kind
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** All there is to say. */
export function faultWordsOf(fault: Fault, model: string | null = null): FaultWords {
  const { kind, message } = fault
  const remedy = Object.hasOwn(REMEDIES, kind) ? REMEDIES[kind] : null
  const words = faultWords(fault, model)
  return {
    words: model === null || !NAMES_MODEL.has(kind) ? words : `${words} (${model})`,
    detail: kind === 'cancelled' || message === '' ? null : sentence(message),
    remedy: remedy === null ? null : remedy(askedOf(model), message),
  }
}

/** Where the model matters, and not only who runs it. */
const NAMES_MODEL: ReadonlySet<FaultKind> = new Set([
  'not-found',
  'too-long',
  'too-large',
  'throttled',
  'overloaded',
  'timeout',
  'rejected',
  'refused',
])

function askedOf(model: string | null): Asked {
  if (model === null) return { provider: 'the provider', model: 'of the model' }
  const [first = model, second] = model.split('/')
  const provider = first === 'compatible' && second !== undefined ? second : first
  return { provider: provider === 'demo' ? 'The demo model' : providerTitle(provider), model }
}

/** What the gateway says to set: a variable, or a place in the settings. */
const keyIn = (message: string): string | undefined => /\bset ([A-Z][A-Z0-9_]{2,}|providers\.[\w.-]+)/.exec(message)?.[1]

const keyRemedy = (provider: string, place: string | undefined): string =>
  place === undefined
    ? `Update the key for ${provider}, then try again.`
    : `Update the key here, or set ${place} where Turnwise runs, then try again.`

function reachRemedy(provider: string, message: string): string {
  if (/certificate/.test(message)) return `Check the address of ${provider}: its certificate is not trusted here.`
  if (provider === providerTitle('ollama'))
    return 'Is Ollama running? Start it with “ollama serve”; OLLAMA_HOST says where it is looked for.'
  return `Check your network and the address of ${provider}, then try again.`
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
