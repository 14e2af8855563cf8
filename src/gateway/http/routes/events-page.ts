/** A page of a session's events as JSON: ended by count or by size, since long messages would hold up everyone else. */
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'

/** So many characters are read at once. */
const PIECE = 1 << 20
/** A page that has so many characters ends there; the next one begins behind it. */
const MOST_CHARACTERS = 4 << 20

export async function eventsPage(
  engine: Pick<Engine, 'read'>,
  id: SessionId,
  after: number,
  limit: number,
): Promise<Result<string, Fault>> {
  const items: string[] = []
  let characters = 0
  let cursor = after
  let isMore = true
  while (isMore && items.length < limit && characters < MOST_CHARACTERS) {
    const read = await engine.read(id, { after: cursor, limit: limit - items.length, size: PIECE })
    if (!read.ok) return read
    isMore = read.value.length > 0
    for (const { tokens: _, ...event } of read.value) {
      const item = JSON.stringify(event)
      items.push(item)
      characters += item.length
      cursor = event.seq
    }
  }
  return ok(`{"items":[${items.join(',')}],"next":${isMore && items.length > 0 ? cursor : 'null'}}`)
}
