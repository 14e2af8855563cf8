/** Opens a SQLite file to copy a house from it or into it, while nothing else can write it. */

import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { HouseSource, HouseTarget } from '../../copy/house.ts'
import { type OpenFile, openQuiet, openWriter, Unusable } from '../database-file.ts'
import { tablesOf } from '../store/rows.ts'
import { sqliteHouse } from './read-house.ts'
import { sqliteTarget } from './write-house.ts'

/** Reads only; its lock keeps gateways away until it is closed. */
export function openSqliteHouse(file: string): Result<HouseSource, Fault> {
  const opened = usable(() => openQuiet(file))
  if (!opened.ok) return opened
  const { db, close } = opened.value
  return ok(sqliteHouse(file, tablesOf(db), close))
}

/** Makes the file if there is none. */
export function openSqliteTarget(file: string): Result<HouseTarget, Fault> {
  const opened = usable(() => openWriter(file, 'FULL', { isForCopy: true }))
  if (!opened.ok) return opened
  const { db, close } = opened.value
  const tables = tablesOf(db)
  return ok(sqliteTarget(sqliteHouse(file, tables, close), db, tables))
}

function usable(open: () => OpenFile): Result<OpenFile, Fault> {
  try {
    return ok(open())
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause
    return err(fault('store', cause.message))
  }
}
