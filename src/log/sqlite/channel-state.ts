import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Tables } from './rows.ts'

/** What the doors remember: a few ids and numbers each, under names of their own. */
export type SqliteDoors = {
  readonly remember: (door: string, key: string, value: string | null) => Result<null, Fault>
  readonly remembered: (door: string, prefix: string) => Result<Map<string, string>, Fault>
}

export function sqliteDoors({ sql, run }: Pick<Tables, 'sql' | 'run'>): SqliteDoors {
  return {
    remember: (door, key, value) => {
      if (value === null) run('delete from doors where door = ? and key = ?', door, key)
      else run('insert into doors values (?, ?, ?) on conflict do update set value = excluded.value', door, key, value)
      return ok(null)
    },
    remembered: (door, prefix) => {
      const found = new Map<string, string>()
      // Keys that begin alike stand together, so the first that begins otherwise is the end.
      const from = sql('select key, value from doors where door = ? and key >= ? order by key').iterate(door, prefix)
      for (const { key, value } of from as Iterable<{ key: string; value: string }>) {
        if (!key.startsWith(prefix)) break
        found.set(key, value)
      }
      return ok(found)
    },
  }
}
