/** Opens the two stores of a copy by their addresses. */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import type { HouseSource, HouseTarget } from './house.ts'

export { type ComparedHouses, compareHouses } from './compare-houses.ts'
export { type Copied, copyHouse } from './copy-house.ts'
export type { HouseCounts, HouseSource, HouseTarget } from './house.ts'
export { sessionPages } from './pages.ts'
export type { CopyProgress, CopyWatch } from './watch.ts'

/** A SQLite file by its path, or a PostgreSQL database with a name for people. */
export type HouseAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly title: string }

// Each store is loaded only where it is needed.
export async function openHouse(address: HouseAddress): Promise<Result<HouseSource, Fault>> {
  if (address.kind === 'sqlite') return (await import('../sqlite/copy/open-house.ts')).openSqliteHouse(address.file)
  return named(
    address.title,
    await (await import('../postgres/copy/open-house.ts')).openPostgresHouse(address.url, address.title),
  )
}

/** Refuses the store of the source, also under another name. */
export async function openTarget(source: HouseSource, address: HouseAddress): Promise<Result<HouseTarget, Fault>> {
  if (address.kind === 'sqlite') {
    if (fileIdentity(address.file) === source.identity) return err(SAME)
    return (await import('../sqlite/copy/open-house.ts')).openSqliteTarget(address.file)
  }
  const { openPostgresTarget } = await import('../postgres/copy/open-house.ts')
  const target = named(address.title, await openPostgresTarget(address.url, address.title))
  if (!target.ok || target.value.identity !== source.identity) return target
  await target.value.close()
  return err(SAME)
}

const SAME: Fault = fault('invalid', 'both are the same store')

const named = <Value>(title: string, opened: Result<Value, Fault>): Result<Value, Fault> =>
  opened.ok ? opened : err(fault(opened.fault.kind, `${title}: ${opened.fault.message}`))

function fileIdentity(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const { dev, ino } = statSync(realpathSync(file))
  return `sqlite ${dev} ${ino}`
}
