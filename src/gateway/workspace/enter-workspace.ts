/** Opens a workspace wherever its store is: connects to PostgreSQL first, if the settings say so, and reads the texts that nodes share. */
import { openSharedStore, type SharedStore } from '../../log/open-store.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { parseStore, type StoreAddress } from '../../model/settings/store-address.ts'
import { homeOf } from '../files/home.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { createSealer, type Sealer } from '../files/sealed-text.ts'
import { openSharedTexts } from '../files/shared-texts.ts'
import { wrongLeaseMs } from '../lease-ms.ts'
import { parseSecrets } from '../settings/secrets-file.ts'
import { withoutSecrets } from '../settings/settings-tree.ts'
import { isRecord, withVariables } from '../variables.ts'
import type { Environment } from './settings.ts'
import { openWorkspace, readSettingsText, type SharedWorkspace, type Workspace } from './workspace.ts'

const SECRET_VARIABLE = 'TURNWISE_SECRET'
const LEAST_SECRET = 16

type Entering = { readonly create: boolean }

/** Opens the workspace for a program. A database that cannot be used is refused in one line, without its password. */
export async function enterWorkspace(environment: Environment, { create }: Entering): Promise<Result<Workspace, Fault>> {
  const sealer = sealerFrom(environment)
  if (!sealer.ok) return sealer
  const wrong = wrongLeaseMs(environment)
  if (wrong !== undefined) return err(fault('invalid', wrong))
  const address = storeNamed(environment, { create })
  if (address?.kind !== 'postgres') return openWorkspace(environment, { create })
  const unusable = ({ message }: Fault): Fault => fault('store', `${address.title}: ${message}`)
  const store = await openSharedStore(address.url)
  if (!store.ok) return err(unusable(store.fault))
  const shared = await sharedWorkspaceOn(store.value, environment)
  const opened = shared.ok ? openWorkspace(environment, { create, shared: shared.value }) : err(unusable(shared.fault))
  if (!opened.ok) await (shared.ok ? shared.value : store.value).close()
  return opened
}

/** What a node shares with others through a store that is open. */
export async function sharedWorkspaceOn(store: SharedStore, environment: Environment): Promise<Result<SharedWorkspace, Fault>> {
  const sealer = sealerFrom(environment)
  if (!sealer.ok) return sealer
  const { documents, leases, close } = store
  const texts = await openSharedTexts({ documents, home: homeOf(environment), sealer: sealer.value, whySecret })
  if (!texts.ok) return texts
  const { stop } = texts.value
  return ok({
    texts: texts.value,
    leases,
    close: async () => {
      stop()
      await close()
    },
  })
}

/** The store that the node's own file and environment name; undefined if they are wrong, which opening them will say. */
export function storeNamed(environment: Environment, { create }: Entering): StoreAddress | undefined {
  const text = readSettingsText(environment, { create })
  const file = text.ok ? parseJsonc(text.value) : text
  return file.ok ? addressIn(environment.TURNWISE_STORE || file.value.store, environment) : undefined
}

/** The store that the environment alone names, for those who have no workspace yet. */
export const storeOfEnvironment = (environment: Environment): StoreAddress | undefined =>
  addressIn(environment.TURNWISE_STORE, environment)

function addressIn(setting: unknown, environment: Environment): StoreAddress | undefined {
  const store = withVariables(setting, environment)
  const address = typeof store === 'string' ? parseStore(store) : undefined
  return address?.ok === true ? address.value : undefined
}

function sealerFrom({ [SECRET_VARIABLE]: secret }: Environment): Result<Sealer | undefined, Fault> {
  if (secret === undefined || secret === '') return ok(undefined)
  if ([...secret].length >= LEAST_SECRET) return ok(createSealer(secret))
  return err(fault('invalid', `${SECRET_VARIABLE}: it needs at least ${LEAST_SECRET} characters`))
}

/** Keys are encrypted, as long as there are any; settings if a value in them would not be shown to people. */
function whySecret(path: string, text: string): string | undefined {
  if (path === 'secrets.json')
    return hasKeys(text) ? 'keys are not kept in a database that others can read: set them on each node' : undefined
  const [place] = path === 'turnwise.json' ? secretPlaces(text) : []
  if (place === undefined) return undefined
  return `${place} may contain a secret, which is not kept in a database that others can read: write "$NAME" there in turnwise.json and set the variable on each node`
}

function hasKeys(text: string): boolean {
  const secrets = parseSecrets(text)
  return !secrets.ok || Object.values(secrets.value).some(named => Object.keys(named).length > 0)
}

function secretPlaces(text: string): readonly string[] {
  const file = parseJsonc(text)
  if (!file.ok) return []
  return Object.entries(file.value).flatMap(([key, value]) =>
    Object.entries(isRecord(value) ? value : { '': value })
      .map(([name, inner]) => [name === '' ? key : `${key}.${name}`, inner] as const)
      .filter(([place, inner]) => JSON.stringify(withoutSecrets(place, inner)) !== JSON.stringify(inner))
      .map(([place]) => place),
  )
}
