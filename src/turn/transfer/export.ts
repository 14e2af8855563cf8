/** Exports one session or all of them as a file that is written while the log is read. */
import { type ConversationPiece, createConversationView } from '../../archive/output/conversation-view.ts'
import { fileNameOf } from '../../archive/output/conversation-words.ts'
import { htmlPieces } from '../../archive/output/html.ts'
import { markdownPieces } from '../../archive/output/markdown.ts'
import { port42Pieces } from '../../archive/output/port42.ts'
import { archivePieces, type ExportedSession } from '../../archive/output/turnwise.ts'
import type { EventLog, KeptText, SessionSearch, SessionStore, Texts } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { readState, type SessionState } from '../schedule/session-state.ts'
import { type ExportFormat, ExportStopped } from './export-formats.ts'

/** The ports that an export reads. */
type ExportSource = EventLog & SessionStore & SessionSearch & Texts

/** A file on its way out: read from the log while it is written, so it is never whole in memory. */
export type Exported = {
  readonly name: string
  readonly mediaType: string
  /** Ends with an `ExportStopped` where the log gives no more. */
  readonly pieces: AsyncIterable<string>
}

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  port42: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
}
const ENDINGS: Readonly<Record<ExportFormat, string>> = { json: 'json', markdown: 'md', port42: 'port42.json', html: 'html' }

/** What is read at once: so many events, and fewer where they are long. */
const PAGE = { limit: 100, size: 1 << 20 }
/** Texts may be files of many megabytes. */
const TEXTS_PAGE = 4
const SESSIONS_PAGE = 500
/** What is handed on at once. */
const PIECE = 1 << 16
const LARGEST_PIECE = 1 << 20

/** One session, or all of them in one archive. */
export async function exported(
  log: ExportSource,
  which: SessionId | 'all',
  format: ExportFormat,
): Promise<Result<Exported, Fault>> {
  if (which === 'all') return everything(log, format)
  const state = await readState(log, which)
  if (!state.ok) return state
  const { session } = state.value
  const name = fileNameOf(session, ENDINGS[format])
  return ok({ name, mediaType: MEDIA_TYPES[format], pieces: gathered(piecesOf(log, state.value, format)) })
}

async function everything(log: ExportSource, format: ExportFormat): Promise<Result<Exported, Fault>> {
  if (format !== 'json') return err(fault('invalid', 'format: all sessions together go into one archive, which is json'))
  const ids = await everyId(log)
  if (!ids.ok) return ids
  const pieces = gathered(archivePieces(leavingOnes(log, ids.value)))
  return ok({ name: 'turnwise-everything.json', mediaType: MEDIA_TYPES.json, pieces })
}

function piecesOf(log: ExportSource, state: SessionState, format: ExportFormat): AsyncIterable<string> {
  const { session } = state
  switch (format) {
    case 'json':
      return archivePieces(only(leaving(log, state)))
    case 'markdown':
      return markdownPieces(session, conversationOf(log, state))
    case 'port42':
      return port42Pieces(session, conversationOf(log, state))
    case 'html':
      return htmlPieces(session, conversationOf(log, state), async hash => (await got(log.texts([hash]))).get(hash))
  }
}

/** Oldest first, so that a session comes before its forks. A session in use moves up meanwhile, so the list is read again. */
async function everyId(log: SessionSearch): Promise<Result<readonly SessionId[], Fault>> {
  const known = new Map<SessionId, Session>()
  for (let before = -1; known.size > before; ) {
    before = known.size
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await log.sessions({ limit: SESSIONS_PAGE, ...(cursor === undefined ? {} : { cursor }) })
      if (!page.ok) return page
      for (const session of page.value.items) known.set(session.id, session)
      cursor = page.value.next
    }
  }
  const byAge = (a: Session, b: Session): number =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1
  return ok([...known.values()].sort(byAge).map(({ id }) => id))
}

async function* leavingOnes(log: ExportSource, ids: readonly SessionId[]): AsyncGenerator<ExportedSession> {
  for (const id of ids) {
    const state = await readState(log, id)
    if (state.ok) yield leaving(log, state.value)
    // One that was deleted meanwhile is not there to be exported.
    else if (state.fault.kind !== 'not-found') throw new ExportStopped(state.fault)
  }
}

const leaving = (log: ExportSource, { session, standing }: SessionState): ExportedSession => ({
  session,
  events: () => eventsOf(log, session.id, standing.head),
  texts: () => textsOf(log, session.id),
})

async function* eventsOf(log: EventLog, id: SessionId, through: number): AsyncGenerator<Recorded> {
  for (let after = 0; after < through; ) {
    const page = await got(log.read(id, { after, through, ...PAGE }))
    yield* page
    after = page.at(-1)?.seq ?? through
  }
}

async function* textsOf(log: Texts, id: SessionId): AsyncGenerator<KeptText> {
  for (let after = ''; ; ) {
    const page = await got(log.textsOf(id, after, TEXTS_PAGE))
    yield* page
    if (page.length < TEXTS_PAGE) return
    after = page.at(-1)?.hash ?? ''
  }
}

async function* conversationOf(log: EventLog, { session, standing }: SessionState): AsyncGenerator<ConversationPiece> {
  const view = createConversationView()
  for await (const event of eventsOf(log, session.id, standing.head)) yield* view.hear(event)
  yield* view.end()
}

async function* only<Item>(item: Item): AsyncGenerator<Item> {
  yield item
}

async function got<Value>(asked: Promise<Result<Value, Fault>>): Promise<Value> {
  const answer = await asked
  if (!answer.ok) throw new ExportStopped(answer.fault)
  return answer.value
}

/** Small pieces are handed on together, since most of what is written are short lines; large ones in parts. */
async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const each of pieces) {
    piece += each
    if (piece.length < PIECE) continue
    for (let from = 0; from < piece.length; ) {
      const to = cutAt(piece, from + LARGEST_PIECE)
      yield piece.slice(from, to)
      from = to
    }
    piece = ''
  }
  if (piece !== '') yield piece
}

/** Never through a character: its halves would be written as two broken ones. */
const cutAt = (text: string, at: number): number => (/[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at)
