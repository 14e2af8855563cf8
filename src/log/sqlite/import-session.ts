/** Imports sessions into a SQLite file: gathers them until they are worth a commit, and writes while the next are gathered. */

import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { IMPORT_OVER, takenId } from '../faults.ts'
import { addPiece, type ImportState, type PlacedFact, startOfImport } from '../import-state.ts'
import type { Clock, ImportedPiece, SessionImport, Weigh } from '../ports.ts'
import type { AskThread, AskWriter } from './messages.ts'
import type { ImportedCells, ImportRequest } from './store/import.ts'

type Needs = {
  readonly read: AskThread
  readonly write: AskWriter
  readonly clock: Clock
  readonly weigh: Weigh
  readonly imports: OpenImports
}

/** All imports into one file. Two imports cannot bring a session of the same id. */
export type OpenImports = {
  readonly ids: Set<SessionId>
  /** Settles when imports that were abandoned are cleared away. */
  cleared: Promise<unknown>
}

export const noImports = (): OpenImports => ({ ids: new Set(), cleared: Promise.resolve() })

/** The most facts of one write. It takes about ten milliseconds, during which other writers wait. */
const MOST_FACTS = 500
const MOST_CHARACTERS = 1 << 20
/** After so many facts it checks whether that is enough for a commit. */
const STEP = 50

export async function importInto({ read, write, clock, weigh, imports }: Needs): Promise<Result<SessionImport, Fault>> {
  const begun = await write('beginImport')
  if (!begun.ok) return begun
  const number = begun.value
  const known = new Set<SessionId>()
  /** Sessions that have come but have turns without an end. */
  const unended: ImportState[] = []
  let current: ImportState | undefined
  let load = emptyLoad()
  let writing: Promise<Result<null, Fault>> = Promise.resolve(ok(null))
  let trouble: Fault | undefined

  const send = async (): Promise<Result<null, Fault>> => {
    const written = await writing
    if (!written.ok) trouble ??= written.fault
    if (trouble !== undefined) return err(trouble)
    if (load.sessions.size === 0) return ok(null)
    const { sessions, events, texts } = load
    load = emptyLoad()
    writing = write('addToImport', { number, sessions: [...sessions.values()], events, texts })
    // The next `add` or `publish` reports it.
    writing.catch(() => {})
    return ok(null)
  }

  const gather = (
    { session, standing }: ImportState,
    placed: readonly PlacedFact[],
    texts: ImportedPiece['texts'],
    isFirst: boolean,
  ): void => {
    const isNew = load.sessions.get(session.id)?.isNew ?? isFirst
    load.sessions.set(session.id, { session, standing, isNew })
    for (const each of placed) {
      const cells = cellsOf(session.id, each)
      load.events.push(cells)
      load.characters += cells[5].length
    }
    if (texts.length === 0) return
    // Texts without facts do not say when they were needed first, so they count as needed from the start.
    load.texts.push({ session: session.id, since: placed[0]?.seq ?? 0, texts })
    for (const { text } of texts) load.characters += text.length
  }

  const take = async (
    state: ImportState,
    { session, facts, texts }: ImportedPiece,
    isFirst = false,
  ): Promise<Result<ImportState, Fault>> => {
    let whole = state
    for (let from = 0; from === 0 || from < facts.length; from += STEP) {
      const next = addPiece(whole, session, facts.slice(from, from + STEP))
      whole = next.state
      gather(whole, next.placed, from === 0 ? texts : [], isFirst && from === 0)
      if (load.events.length < MOST_FACTS && load.characters < MOST_CHARACTERS) continue
      const sent = await send()
      if (!sent.ok) return sent
    }
    return ok(whole)
  }

  const leave = (): void => {
    if (current !== undefined && current.open.size > 0) unended.push(current)
    current = undefined
  }

  /** Clears away at once what is left of a removed session of this id. */
  const isFree = async (id: SessionId): Promise<Result<boolean, Fault>> => {
    for (;;) {
      const state = await read('stateOfId', id)
      if (!state.ok) return state
      if (state.value !== 'removed') return ok(state.value === 'free')
      const removed = await write('removeRest', id)
      if (!removed.ok) return removed
    }
  }
  const claim = async (id: SessionId): Promise<Result<null, Fault>> => {
    if (imports.ids.has(id) && !known.has(id)) await imports.cleared
    if (imports.ids.has(id)) return err(takenId(id))
    imports.ids.add(id)
    const free = await isFree(id)
    if (free.ok && free.value) return ok(null)
    imports.ids.delete(id)
    return free.ok ? err(takenId(id)) : free
  }
  const release = (): void => {
    for (const id of known) imports.ids.delete(id)
  }

  const add: SessionImport['add'] = async piece => {
    if (trouble !== undefined) return err(trouble)
    const { id } = piece.session
    if (current?.session.id !== id) {
      const claimed = await claim(id)
      if (!claimed.ok) return claimed
      known.add(id)
      leave()
    }
    const whole = await take(current ?? startOfImport(piece.session), piece, current === undefined)
    if (!whole.ok) return whole
    current = whole.value
    return ok(null)
  }

  const flush = async (): Promise<Result<null, Fault>> => {
    const sent = await send()
    return sent.ok ? writing : sent
  }

  const giveUp = async (): Promise<void> => {
    await writing
    for (let more = true; more; ) {
      const given = await write('abandonImport', number)
      // What cannot be cleared now is cleared at the next start.
      more = given.ok && given.value.more
    }
    release()
  }
  const abandon = async (): Promise<void> => {
    trouble ??= IMPORT_OVER
    const given = giveUp()
    imports.cleared = Promise.allSettled([imports.cleared, given])
    await given
  }

  const published: SessionImport['publish'] = async close => {
    leave()
    const gathered = await flush()
    if (!gathered.ok) return gathered
    for (const state of unended) {
      const { session, open } = state
      let whole = state
      for (const turn of open.values()) {
        const own = await read('importedTurn', session.id, turn.turn)
        if (!own.ok) return own
        const at = new Date(clock()).toISOString()
        const facts = close(turn, own.value).map(fact => ({ fact, at, ...weigh(fact) }))
        const ended = await take(whole, { session: whole.session, facts, texts: [] })
        if (!ended.ok) return ended
        whole = ended.value
      }
    }
    const ended = await flush()
    if (!ended.ok) return ended
    for (let more = true; more; ) {
      const settled = await write('moveImported', number)
      if (!settled.ok) return settled
      more = settled.value.more
    }
    return write('publishImport', number)
  }

  const publish: SessionImport['publish'] = async close => {
    if (trouble !== undefined) return err(trouble)
    const result = await published(close)
    if (result.ok) {
      trouble = IMPORT_OVER
      release()
    } else await abandon()
    return result
  }

  return ok({ add, publish, abandon: async () => (trouble === IMPORT_OVER ? undefined : abandon()) })
}

type Load = {
  readonly sessions: Map<SessionId, ImportRequest['sessions'][number]>
  readonly events: ImportedCells[]
  readonly texts: ImportRequest['texts'][number][]
  characters: number
}

const emptyLoad = (): Load => ({ sessions: new Map(), events: [], texts: [], characters: 0 })

function cellsOf(id: SessionId, { fact, at, seq, tokens, messages, totals }: PlacedFact): ImportedCells {
  const { type, ...body } = fact
  const turn = 'turn' in fact ? fact.turn : null
  return [id, seq, at, type, turn, JSON.stringify(body), tokens, totals.tokens, totals.messages, messages]
}
