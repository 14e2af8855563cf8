// The notes command.
import type { Fault } from '../../../model/fault.ts'
import type { Result } from '../../../model/result.ts'
import { existingHome } from '../../files/home.ts'
import { type Hit, type Note, type NotePage, type Notes, openNotes } from '../../notes/notes.ts'
import { aligned } from '../output/aligned.ts'
import { escapeForTerminal, escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { counted, figure, fileSize } from '../output/phrase.ts'
import { complain, print, type Terminal } from '../output/terminal.ts'

/** One action on the notes, with everything it needs. */
export type NoteAction =
  | { readonly verb: 'create' | 'append'; readonly name: string; readonly text: string }
  | { readonly verb: 'read'; readonly name: string; readonly from?: number; readonly lines?: number }
  | { readonly verb: 'list'; readonly limit: number }
  | { readonly verb: 'search'; readonly words: string; readonly limit: number }
  | { readonly verb: 'replace'; readonly name: string; readonly old: string; readonly new: string }

/** Keeps notes for people and for the tools of the notes skill; the workspace must exist. */
export function notesCommand(terminal: Terminal, deed: NoteAction, { json = false }: { readonly json?: boolean }): number {
  const home = existingHome(terminal.environment)
  if (!home.ok) return complain(terminal, home.fault.message)
  const done = page(openNotes(home.value), deed, terminal.stdout.isTTY === true)
  if (!done.ok) return complain(terminal, done.fault.message)
  if (json) print(terminal, jsonForTerminal(done.value.json))
  else terminal.stdout.write(done.value.text)
  return 0
}

/** The same result for programs and for people. */
type Shown = { readonly json: unknown; readonly text: string }

function page(notes: Notes, deed: NoteAction, isTerminal: boolean): Result<Shown, Fault> {
  switch (deed.verb) {
    case 'create':
      return shown(notes.create(deed.name, deed.text), note => ({ json: note, text: changed('created', note) }))
    case 'append':
      return shown(notes.append(deed.name, deed.text), note => ({ json: note, text: changed('added to', note) }))
    case 'replace':
      return shown(notes.replace(deed.name, deed.old, deed.new), note => ({ json: note, text: changed('changed', note) }))
    case 'read':
      return shown(notes.read(deed.name, deed), note => ({ json: note, text: exact(textOf(note), isTerminal) }))
    case 'list':
      return shown(notes.list(), all => {
        const items = all.slice(0, deed.limit)
        return { json: { items, isAll: items.length === all.length }, text: listing(items, all.length) }
      })
    case 'search':
      return shown(notes.search(deed.words, deed.limit), found => ({
        json: { items: found.hits, isAll: found.isAll },
        text: exact(hitLines(found), isTerminal),
      }))
  }
}

const shown = <Value>(done: Result<Value, Fault>, show: (value: Value) => Shown): Result<Shown, Fault> =>
  done.ok ? { ok: true, value: show(done.value) } : done

/** A model that edits a text must see it exactly. Only a terminal could run escape codes in it. */
const exact = (text: string, isTerminal: boolean): string => (isTerminal ? escapeForTerminal(text) : text)

const changed = (verb: string, { name, bytes }: Note): string => `${verb} ${escapeToOneLine(name)} (${fileSize(bytes)})\n`

/** Of a longer note a model may see only part, so its length is said with it. */
const LONG_BYTES = 4096

/** The text, and after it how long the note is and where to read on, unless it is short and all there. */
function textOf({ text, isWhole, bytes, from, through, lines, isCut }: NotePage): string {
  const closed = text === '' || text.endsWith('\n') ? text : `${text}\n`
  if (isWhole && bytes <= LONG_BYTES) return closed
  const size = `${counted(lines, 'line')}, ${fileSize(bytes)}`
  if (isWhole) return `${closed}… the whole note: ${size}; "from" and "lines" give a part of it\n`
  const on = through < lines ? `; read on from line ${figure(through + 1)}` : ''
  const part = from === through ? `line ${figure(from)}` : `lines ${figure(from)} to ${figure(through)}`
  return `${closed}… ${isCut ? `the first ${figure(Buffer.byteLength(text))} bytes of ` : ''}${part} of ${size}${on}\n`
}

function listing(items: readonly Note[], total: number): string {
  if (total === 0) return 'there are no notes yet\n'
  const rows = aligned(items.map(({ name, changedAt, bytes }) => [escapeToOneLine(name), minuteOf(changedAt), fileSize(bytes)]))
  const more = total > items.length ? [`… and ${counted(total - items.length, 'more', 'more')}`] : []
  return [...rows.map(row => row.trimStart()), ...more].map(row => `${row}\n`).join('')
}

/** In the reader's own time zone. The Swedish locale writes times as ISO does. */
const minuteOf = (at: string): string => new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

const LONGEST_LINE = 500

function hitLines({ hits, isAll }: { readonly hits: readonly Hit[]; readonly isAll: boolean }): string {
  if (hits.length === 0) return 'nothing was found\n'
  const lines = hits.map(({ name, line, text }) => `${escapeToOneLine(name)}:${line}: ${beginningOf(text)}\n`)
  return [...lines, ...(isAll ? [] : ['… and more; give more words, or a higher limit\n'])].join('')
}

const beginningOf = (text: string): string => {
  const characters = [...text]
  return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE).join('')}…` : text
}
