/** Keeps what channels must not forget: a few ids and numbers each, in the table `doors`. */

import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Tables } from './rows.ts'

export type SqliteChannelState = {
  readonly remember: (channel: string, key: string, value: string | null) => Result<null, Fault>
  readonly remembered: (channel: string, prefix: string) => Result<Map<string, string>, Fault>
}

export function sqliteChannelState({ sql, run }: Pick<Tables, 'sql' | 'run'>): SqliteChannelState {
  return {
    remember: (channel, key, value) => {
      if (value === null) run('delete from doors where door = ? and key = ?', channel, key)
      else run('insert into doors values (?, ?, ?) on conflict do update set value = excluded.value', channel, key, value)
      return ok(null)
    },
    remembered: (channel, prefix) => {
      const found = new Map<string, string>()
      // Keys come in order, so the first without the prefix is the end.
      const from = sql('select key, value from doors where door = ? and key >= ? order by key').iterate(channel, prefix)
      for (const { key, value } of from as Iterable<{ key: string; value: string }>) {
        if (!key.startsWith(prefix)) break
        found.set(key, value)
      }
      return ok(found)
    },
  }
}
