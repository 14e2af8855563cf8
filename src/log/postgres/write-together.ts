/** Statements as values, so that several that need nothing of each other go to the database as one. */

import type { Query } from './database.ts'

/** A statement that writes, and gives no rows. */
export type Write = { readonly text: string; readonly values: readonly unknown[] }

/**
 * Runs writes in one round trip. They all see the rows from before, so none may write a row that another one writes or reads. What
 * one of them refuses is refused as a whole.
 */
export async function writeTogether(query: Query, writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return
  const values: unknown[] = []
  const texts = writes.map(write => {
    const before = values.length
    values.push(...write.values)
    return write.text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${before + Number(place)}`)
  })
  const others = texts.slice(0, -1).map((text, index) => `write_${index + 1} as (${text})`)
  await query(`${others.length === 0 ? '' : `with ${others.join(', ')} `}${texts.at(-1)}`, values)
}
