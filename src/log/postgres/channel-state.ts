/** Keeps what channels must not forget: a few ids and numbers each. */

import { ok } from '../../model/result.ts'
import type { ChannelState } from '../ports.ts'
import type { Database } from './database.ts'
import { decodeName, encodeText } from './encode-name.ts'

export function postgresChannelState(db: Database): ChannelState {
  return {
    remember: (channel, key, value) =>
      db.attempt(async query => {
        if (value === null)
          await query('delete from channel_state where channel = $1 and key = $2', [encodeText(channel), encodeText(key)])
        else
          await query(
            'insert into channel_state values ($1, $2, $3) on conflict (channel, key) do update set value = excluded.value',
            [encodeText(channel), encodeText(key), encodeText(value)],
          )
        return ok(null)
      }),
    remembered: (channel, prefix) =>
      db.attempt(async query => {
        const found = await query<{ key: string; value: string }>(
          'select key, value from channel_state where channel = $1 and starts_with(key, $2) order by key',
          [encodeText(channel), encodeText(prefix)],
        )
        return ok(new Map(found.map(({ key, value }) => [decodeName(key), decodeName(value)])))
      }),
  }
}
