// Reads our own archives.
import { weigh } from '../../context/text/tokens.ts'
import { parseFact } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { ArchiveItem } from '../input/found.ts'
import { LineSplitter } from '../input/lines.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { FormatReader } from '../input/reader.ts'
import { textHash } from '../output/text-hash.ts'
import { archiveSchema, firstIssue, isTime } from './turnwise-schema.ts'

/** The first bytes of every archive of ours. */
export const ARCHIVE_BEGINS = '{"turnwise":"archive"'

const FIRST = '{"turnwise":"archive","version":1,"sessions":['
const SESSION = /^\{"session":(.*),"events":\[$/
const EVENT = /^\{"seq":(\d{1,15}),"at":"([^"\\]{1,40})","type":"([a-z.]{1,40})"([,}].*)$/s

/** What the reader expects on the next line. */
type Expects = 'first' | 'sessions' | 'events' | 'texts' | 'nothing'

/**
 * Reads our own archive, which has one item on each line. Every line must be, byte for byte, what we would write; only then
 * does an export of what was read give the same file again. The reader trusts nothing that it can count or check itself.
 */
export function archiveReader(place: FilePosition): FormatReader {
  const lines = new LineSplitter(place)
  const sessions = new Set<SessionId>()
  let expects: Expects = 'first'
  /** After a comma another item must follow; without a comma none may. */
  let more: boolean | undefined
  let seq = 0

  const bad = (what: string): Error => badAt(place, what)
  const unfit = (): Error => bad('the file is not as it was written: it was edited, reformatted or damaged here')

  const parsed = (text: string): unknown => {
    try {
      const value: unknown = JSON.parse(text)
      if (JSON.stringify(value) === text) return value
    } catch {
      throw bad('is not valid JSON; the file was edited or damaged here')
    }
    throw unfit()
  }

  /** One item of a list: its text without the comma, or undefined if this line closes the list. */
  const item = (line: string, closing: string): string | undefined => {
    if (line === closing && more !== true) {
      more = undefined
      return undefined
    }
    if (more === false || line === '') throw unfit()
    more = line.endsWith(',')
    return more ? line.slice(0, -1) : line
  }

  const session = (line: string): ArchiveItem | undefined => {
    if (line === ']}' && more !== true) {
      expects = 'nothing'
      return undefined
    }
    const [, text] = more === false ? [] : (SESSION.exec(line) ?? [])
    if (text === undefined) throw unfit()
    const checked = archiveSchema.session.safeParse(parsed(text))
    if (!checked.success) throw bad(`the session's ${firstIssue(checked.error)}`)
    const kept = checked.data
    if (sessions.has(kept.id)) throw bad(`the session ${kept.id} is in this file twice`)
    sessions.add(kept.id)
    expects = 'events'
    more = undefined
    seq = 0
    const { id, title, createdAt, updatedAt, archived, agent } = kept
    const named = agent === null ? {} : { agent }
    return { type: 'session', session: { id, kept, title, createdAt, updatedAt, archived, ...named, origin: 'turnwise' } }
  }

  const event = (line: string): ArchiveItem | undefined => {
    const text = item(line, '],"texts":[')
    if (text === undefined) {
      expects = 'texts'
      return undefined
    }
    const [, written = '', at = '', type = '', rest = ''] = EVENT.exec(text) ?? []
    if (rest === '') throw unfit()
    seq += 1
    if (written !== String(seq)) throw bad(`the event has the seq ${written} where ${seq} should follow`)
    if (!isTime(at)) throw bad(`"${at}" is no time as we write them`)
    const body = rest.startsWith(',') ? `{${rest.slice(1)}` : `{${rest}`
    const fact = parseFact(type, body)
    if ('why' in fact) throw bad(fact.why)
    const isAsToday = JSON.stringify(fact) === `${body.slice(0, -1)}${body === '{}' ? '' : ','}"type":${JSON.stringify(type)}}`
    if (!isAsToday && !isAsWrittenOnce(body)) throw unfit()
    const checked = archiveSchema.fact.safeParse(fact)
    if (!checked.success) throw bad(`the ${type}'s ${firstIssue(checked.error)}`)
    return { type: 'fact', fact, at, ...weigh(fact) }
  }

  const text = (line: string): ArchiveItem | undefined => {
    // This line closes the session too, so its comma says whether another session follows.
    if ((line === ']}' || line === ']},') && more !== true) {
      expects = 'sessions'
      more = line === ']},'
      return undefined
    }
    const written = item(line, ']}')
    if (written === undefined) throw unfit()
    const checked = archiveSchema.text.safeParse(parsed(written))
    if (!checked.success) throw bad(`the text's ${firstIssue(checked.error)}`)
    const { hash, text: kept } = checked.data
    if (hash !== textHash(kept)) throw bad('the text is not the one that its hash names')
    return { type: 'text', hash, text: kept }
  }

  const take = (line: string): ArchiveItem | undefined => {
    switch (expects) {
      case 'first':
        if (line !== FIRST) throw bad(whyNot(line))
        expects = 'sessions'
        return undefined
      case 'sessions':
        return session(line)
      case 'events':
        return event(line)
      case 'texts':
        return text(line)
      default:
        throw unfit()
    }
  }

  return {
    *push(bytes) {
      for (const line of lines.push(bytes)) {
        const found = take(line)
        if (found !== undefined) yield found
      }
    },
    end: () => {
      for (const line of lines.end()) {
        // A line without a line break is the last one, or was cut off.
        if (expects === 'first') throw bad(whyNot(line))
        if (expects !== 'sessions' || line !== ']}') throw bad('the file ends in the middle of this line; it was cut off')
        take(line)
      }
      if (expects !== 'nothing') throw bad('the file ends here, before its end; it was cut off')
      return []
    },
  }
}

function whyNot(line: string): string {
  const [, version] = /^\{"turnwise":"archive","version":(\d+),/.exec(line) ?? []
  if (version !== undefined && version !== '1') return `the archive has the version ${version}; this Turnwise reads version 1`
  return 'an archive of Turnwise begins otherwise; the file was edited, reformatted or cut off'
}

/** Whether a body with a field name of an earlier Turnwise is, byte for byte, what that one wrote. */
function isAsWrittenOnce(body: string): boolean {
  const value = JSON.parse(body) as object
  return JSON.stringify(value) === body && !Object.hasOwn(value, 'type')
}
