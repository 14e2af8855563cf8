// Stands in for the PostgreSQL log in the control: the same log, but a node that has lost its lease can still write.
import type { Log } from '../../../src/log/ports.ts'
import { type PostgresSettings, postgresLog as realLog } from '../../../src/log/postgres/postgres-log.ts'
import type { Fault } from '../../../src/model/fault.ts'
import { ok, type Result } from '../../../src/model/result.ts'

export async function postgresLog(settings: PostgresSettings): Promise<Result<Log, Fault>> {
  const opened = await realLog(settings)
  if (!opened.ok) return opened
  const log = opened.value
  return ok({
    ...log,
    append: (id, facts, { fence: _, ...options } = {}) => log.append(id, facts, options),
  })
}
