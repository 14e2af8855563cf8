// Decides what to send when a person presses Connect, and at which field to say why it was refused.
import { complaintsOf } from '../form/complaints.ts'
import type { ApiProblem } from '../wire/problem.ts'
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
  if (!/^[a-z0-9-]{1,40}$/.test(name)) return wrong('name', 'Use lowercase letters, digits and dashes, such as “lan”.')
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

/** Trouble beside the field where a person can mend it. */
export type ConnectTrouble = { readonly field: ConnectFieldName; readonly words: string }

const FIELDS: Readonly<Record<string, ConnectFieldName>> = { name: 'name', apiKey: 'key', baseURL: 'address' }

/** A refusal, without the names that its fields have on the wire. */
export function refusalOf(problem: ApiProblem, needsKey: boolean): ConnectTrouble {
  const { title, detail } = problem
  const found = complaintsOf(problem).flatMap(({ path, why }) => {
    const field = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined
    return field === undefined ? [] : [{ field, words: /^(Is|Has) /.test(why) ? `The ${field} ${lower(why)}` : why }]
  })
  const [first] = found
  if (first !== undefined) return { field: first.field, words: found.map(({ words }) => words).join(' ') }
  const field = /address|baseURL/i.test(detail) || !needsKey ? 'address' : 'key'
  return { field, words: detail === '' ? title : detail }
}

const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)
