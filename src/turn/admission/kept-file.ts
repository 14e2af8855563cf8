/** Gives back a file that came with a message or a result, by its hash, if the session names that file. */
import type { EventLog, SessionStore } from '../../log/ports.ts'
import type { Attachment, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { RequestFiles } from '../step/request-files.ts'

/** A file that came with a message or a result, as it came. */
export type KeptFile = { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array<ArrayBuffer> }

/** Gives the files that a session names by their hash, and no others. */
export type KeptFiles = (id: SessionId, hash: string) => Promise<Result<KeptFile, Fault>>

type Named = Pick<KeptFile, 'name' | 'mediaType'>

/** What a session names, as far as it was read. */
type Known = { readonly named: Map<string, Named>; through: number }

const PAGE = 500
const MOST_SESSIONS = 64

/** A session's past is read once: events stay as they are, and only new ones can name more. */
export function createKeptFiles({
  log,
  files,
}: {
  readonly log: EventLog & SessionStore
  readonly files: RequestFiles
}): KeptFiles {
  const sessions = new Map<SessionId, Known>()

  const knownOf = (id: SessionId): Known => {
    const known = sessions.get(id) ?? { named: new Map(), through: 0 }
    // The session that was asked for longest ago is dropped first.
    sessions.delete(id)
    sessions.set(id, known)
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
    return known
  }

  const find = async (id: SessionId, hash: string): Promise<Result<Named | undefined, Fault>> => {
    const known = knownOf(id)
    while (!known.named.has(hash)) {
      const page = await log.read(id, { after: known.through, limit: PAGE })
      if (!page.ok) return page
      for (const event of page.value) {
        known.through = Math.max(known.through, event.seq)
        for (const part of filesIn(event)) name(known, part)
      }
      if (page.value.length < PAGE) break
    }
    return ok(known.named.get(hash))
  }

  return async (id, hash) => {
    const session = await log.session(id)
    if (!session.ok) return session
    const named = await find(id, hash)
    if (!named.ok) return named
    if (named.value === undefined) return err(fault('not-found', 'no message or result of this session has a file of that hash'))
    const found = await files.read([hash])
    if (!found.ok) return found
    const data = found.value.get(hash)
    if (data === undefined) return err(fault('not-found', `the file ${named.value.name} is gone`))
    return ok({ ...named.value, bytes: Buffer.from(data, 'base64') })
  }
}

function filesIn(event: Recorded): readonly Attachment[] {
  if (event.type === 'message.received') return event.parts ?? []
  return event.type === 'tool.settled' ? (event.images ?? []) : []
}

/** The first name that a file came under stays its name. */
function name({ named }: Known, part: Attachment): void {
  if (part.type !== 'text' && !named.has(part.hash)) named.set(part.hash, { name: part.name, mediaType: part.mediaType })
}
