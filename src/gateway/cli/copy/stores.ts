// Finds the two stores of a copy: what their addresses say, and the workspace they belong to.
import { resolve } from 'node:path'
import type { HouseAddress } from '../../../log/copy/open-houses.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { parseStore, type StoreAddress } from '../../../model/settings/store-address.ts'
import { existingHome } from '../../files/home.ts'
import { unsetVariables, withVariables } from '../../variables.ts'
import { storeNamed } from '../../workspace/enter-workspace.ts'
import type { Environment } from '../../workspace/settings.ts'

export type CopyStores = {
  readonly home: string
  /** As if the settings named the source. */
  readonly environment: Environment
  readonly from: HouseAddress
  readonly to: HouseAddress
}

const USUAL: StoreAddress = { kind: 'sqlite', file: 'turnwise.db' }

/** No refusal repeats an address: a part of it may be a password. */
export function copyStores(
  given: Environment,
  { from, to }: { readonly from?: string; readonly to: string },
): Result<CopyStores, Fault> {
  const home = existingHome(given)
  if (!home.ok) return home
  const target = addressOf('--to', to, given)
  if (!target.ok) return target
  const environment = from === undefined ? given : { ...given, TURNWISE_STORE: from }
  const source = from === undefined ? ok(storeNamed(environment, { create: false }) ?? USUAL) : addressOf('--from', from, given)
  if (!source.ok) return source
  return ok({ home: home.value, environment, from: placed(source.value, home.value), to: placed(target.value, home.value) })
}

/** An option may name a variable, so that its password is in no list of processes. */
function addressOf(option: string, text: string, environment: Environment): Result<StoreAddress, Fault> {
  const value = withVariables(text, environment)
  const [unset] = unsetVariables(value)
  if (unset !== undefined) return err(fault('invalid', `${option}${unset.replace(/; set it.*/, '; set it')}`))
  const address = parseStore(String(value))
  return address.ok ? address : err(fault('invalid', address.fault.message.replace(/^store:/, `${option}:`)))
}

/** A file is meant as in the settings: from the workspace on. */
const placed = (address: StoreAddress, home: string): HouseAddress =>
  address.kind === 'sqlite' ? { kind: 'sqlite', file: resolve(home, address.file) } : address

/** How an engine opens it. */
export const databaseOf = (address: HouseAddress): string => (address.kind === 'sqlite' ? address.file : address.url)
