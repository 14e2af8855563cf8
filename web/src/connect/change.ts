// Decides what to send when a person presses Connect.
import type { ProviderChange } from '../wire/providers-api.ts'
import type { ConnectTarget } from './targets.ts'

export type ConnectFields = { readonly name: string; readonly address: string; readonly key: string }

export type ConnectFieldName = keyof ConnectFields

export type ConnectStep =
  | { readonly kind: 'connect'; readonly name: string; readonly change: ProviderChange }
  /** Nothing new was entered. */
  | { readonly kind: 'check'; readonly name: string }
  | { readonly kind: 'wrong'; readonly field: ConnectFieldName; readonly why: string }

const wrong = (field: ConnectFieldName, why: string): ConnectStep => ({ kind: 'wrong', field, why })

/** The key goes with its address: one that was saved for another address is not sent to a new one. */
export function connectStep(target: ConnectTarget, fields: ConnectFields): ConnectStep {
  const { provider, needsKey, hasOwnAddress } = target
  const name = target.name === '' ? fields.name.trim() : target.name
  const [address, key] = [fields.address.trim(), fields.key.trim()]
  if (!/^[a-z0-9-]{1,40}$/.test(name)) return wrong('name', 'Use small letters, digits and dashes, such as “lan”.')
  if (hasOwnAddress && address === '') return wrong('address', 'Enter the address of the server.')
  if (address !== '' && !/^https?:\/\/[^\s/]/.test(address))
    return wrong('address', 'An address begins with http:// or https://.')
  const isMoved = address !== '' && address !== (provider?.baseURL ?? (hasOwnAddress ? '' : target.baseURL))
  if (key === '' && isMoved && needsKey)
    return wrong('key', provider?.hasKey === true ? 'Enter the key again: it was saved for another address.' : 'Paste a key.')
  if (key === '' && !isMoved) {
    if (provider !== null && (provider.hasKey || !needsKey)) return { kind: 'check', name }
    if (needsKey) return wrong('key', 'Paste a key.')
  }
  const isNew = provider === null && target.baseURL !== ''
  const baseURL = isMoved ? address : isNew ? target.baseURL : null
  return { kind: 'connect', name, change: { ...(key === '' ? {} : { apiKey: key }), ...(baseURL === null ? {} : { baseURL }) } }
}
