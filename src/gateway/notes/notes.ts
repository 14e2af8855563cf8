// The Markdown notes of a workspace: list, read, write, search.
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { alone, describe, type NoteFile, notesFolder, notesIn, putNote, readNote } from './folder.ts'
import { type LineRange, linesOf, type NoteLines } from './lines.ts'
import { nearestNames, noteKey, noteName, quotedNote } from './name.ts'
import { type Hit, linesWith, searchWords } from './search.ts'

export type { NoteFile as Note } from './folder.ts'
export type { Hit } from './search.ts'

/** A note with its text, or with some lines of it. */
export type NotePage = NoteFile & NoteLines & { readonly isWhole: boolean }

/** The Markdown notes of a workspace, each identified by its name. */
export type Notes = {
  readonly create: (title: string, text: string) => Result<NoteFile, Fault>
  readonly read: (title: string, range?: LineRange) => Result<NotePage, Fault>
  /** Newest first. */
  readonly list: () => Result<readonly NoteFile[], Fault>
  /** Lines of the notes that contain all the words, newest note first, and whether there are more. */
  readonly search: (words: string, most: number) => Result<{ readonly hits: readonly Hit[]; readonly isAll: boolean }, Fault>
  /** Adds the text on lines of its own. */
  readonly append: (title: string, text: string) => Result<NoteFile, Fault>
  /** Replaces a text that is in the note exactly once. */
  readonly replace: (title: string, old: string, fresh: string) => Result<NoteFile, Fault>
}

const MOST_BYTES = 1024 * 1024
const MOST_READ = 256 * 1024
const MOST_NEAR = 5

export function openNotes(home: string): Notes {
  const change = (
    title: string,
    changed: (bytes: Buffer, name: string) => Result<Uint8Array, Fault>,
  ): Result<NoteFile, Fault> => {
    const folder = notesFolder(home)
    if (!folder.ok) return folder
    const known = find(notesIn(folder.value), title)
    return known.ok ? alone(folder.value, () => rewrite(folder.value, title, changed)) : known
  }
  return {
    create: (title, text) => {
      const name = noteName(title)
      if (!name.ok) return name
      const folder = notesFolder(home)
      if (!folder.ok) return folder
      const bytes = Buffer.from(asLines(text))
      if (bytes.length > MOST_BYTES) return err(tooLarge(name.value, bytes.length))
      return alone(folder.value, () => {
        const [twin] = alike(notesIn(folder.value), name.value)
        if (twin !== undefined) return err(taken(twin.name))
        const put = putNote(folder.value, name.value, bytes, { isNew: true })
        if (!put.ok) return put
        if (!put.value) return err(taken(name.value))
        return ok(describe(folder.value, name.value))
      })
    },
    read: (title, range = {}) => {
      const folder = notesFolder(home)
      if (!folder.ok) return folder
      const note = find(notesIn(folder.value), title)
      if (!note.ok) return note
      const bytes = readNote(folder.value, note.value.name, MOST_BYTES)
      const isRead = note.value.bytes <= bytes.length
      // Leaves out a character that the end cut in two.
      const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isRead })
      const lines = linesOf(whole, range, MOST_READ)
      if (lines === undefined) return err(beyond(note.value.name, whole))
      return ok({ ...note.value, ...lines, isWhole: isRead && lines.text.length === whole.length })
    },
    list: () => {
      const folder = notesFolder(home)
      return folder.ok ? ok(notesIn(folder.value)) : folder
    },
    search: (text, most) => {
      const words = searchWords(text)
      if (words.length === 0) return err(fault('invalid', 'there is nothing to search for; give a word or more'))
      const folder = notesFolder(home)
      if (!folder.ok) return folder
      const hits: Hit[] = []
      for (const { name } of notesIn(folder.value)) {
        if (hits.length > most) break
        hits.push(...linesWith(words, { name, text: readNote(folder.value, name, MOST_BYTES).toString('utf8') }))
      }
      return ok({ hits: hits.slice(0, most), isAll: hits.length <= most })
    },
    append: (title, text) =>
      change(title, bytes => {
        const isOpen = bytes.length > 0 && bytes.at(-1) !== NEWLINE
        return ok(Buffer.concat([bytes, Buffer.from(`${isOpen ? '\n' : ''}${text === '' ? '\n' : asLines(text)}`)]))
      }),
    replace: (title, old, fresh) => change(title, (bytes, name) => replaced(bytes, { name, old, fresh })),
  }
}

/** Runs inside the lock and looks the note up again, because another writer may have changed it. */
function rewrite(
  folder: string,
  title: string,
  changed: (bytes: Buffer, name: string) => Result<Uint8Array, Fault>,
): Result<NoteFile, Fault> {
  const note = find(notesIn(folder), title)
  if (!note.ok) return note
  const { name, bytes } = note.value
  if (bytes > MOST_BYTES) return err(tooLarge(name, bytes))
  const fresh = changed(readNote(folder, name, MOST_BYTES), name)
  if (!fresh.ok) return fresh
  if (fresh.value.length > MOST_BYTES) return err(tooLarge(name, fresh.value.length))
  const put = putNote(folder, name, fresh.value, { isNew: false })
  return put.ok ? ok(describe(folder, name)) : put
}

const NEWLINE = 10

const asLines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** Works on bytes, so that nothing else in the note changes, even if it is not valid text. */
function replaced(
  bytes: Buffer,
  { name, old, fresh }: { readonly name: string; readonly old: string; readonly fresh: string },
): Result<Uint8Array, Fault> {
  if (old === '') return err(fault('invalid', 'the old text is empty; give the text that is to be replaced'))
  const wanted = Buffer.from(old)
  const count = occurrences(bytes, wanted)
  if (count === 0)
    return err(fault('not-found', `${quotedNote(old)} is not in ${quotedNote(name)}; read the note and give its exact text`))
  if (count > 1)
    return err(
      fault(
        'conflict',
        `${quotedNote(old)} is ${count} times in ${quotedNote(name)}; give more of the text around it, so that it fits once`,
      ),
    )
  const at = bytes.indexOf(wanted)
  return ok(Buffer.concat([bytes.subarray(0, at), Buffer.from(fresh), bytes.subarray(at + wanted.length)]))
}

function occurrences(bytes: Buffer, wanted: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) count += 1
  return count
}

/** The note with exactly this name, or the one whose name this title becomes. */
function find(notes: readonly NoteFile[], title: string): Result<NoteFile, Fault> {
  const exact = notes.find(({ name }) => name === title || `${name}.md` === title)
  if (exact !== undefined) return ok(exact)
  const name = noteName(title)
  if (!name.ok) return name
  const same = alike(notes, name.value)
  const [first, second] = same
  if (first === undefined) return err(unknown(title, notes))
  if (second === undefined) return ok(first)
  return err(
    fault(
      'conflict',
      `${quotedNote(title)} may be any of ${same.map(note => quotedNote(note.name)).join(', ')}; give the exact name`,
    ),
  )
}

const alike = (notes: readonly NoteFile[], name: string): readonly NoteFile[] =>
  notes.filter(note => noteKey(comesDownTo(note.name)) === noteKey(name))

/** People put their own files beside ours, with names that we would not give. */
function comesDownTo(name: string): string {
  const given = noteName(name)
  return given.ok ? given.value : name
}

function unknown(title: string, notes: readonly NoteFile[]): Fault {
  const names = notes.map(({ name }) => name)
  const near = nearestNames(title, names, MOST_NEAR)
  const listed = (some: readonly string[]): string => some.map(quotedNote).join(', ')
  const hint =
    names.length === 0
      ? 'there are none yet'
      : near.length > 0
        ? `near it: ${listed(near)}`
        : `the newest: ${listed(names.slice(0, MOST_NEAR))}`
  return fault('not-found', `there is no note ${quotedNote(title)}; ${hint}`)
}

const beyond = (name: string, text: string): Fault =>
  fault('not-found', `${quotedNote(name)} ends with line ${(linesOf(text, {}, MOST_BYTES)?.lines ?? 0).toLocaleString('en-US')}`)

const taken = (name: string): Fault =>
  fault('conflict', `there is already a note ${quotedNote(name)}, left as it is; append to it, or choose another name`)

const tooLarge = (name: string, bytes: number): Fault =>
  fault(
    'too-large',
    `${quotedNote(name)} would have ${bytes.toLocaleString('en-US')} bytes; a note has at most 1 MiB, so start another`,
  )
