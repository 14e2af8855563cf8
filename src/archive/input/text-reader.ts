import { chatgptTeller } from '../formats/chatgpt.ts'
import { claudeTeller } from '../formats/claude.ts'
import type { Retold } from '../formats/facts-builder.ts'
import { openaiTeller } from '../formats/openai-jsonl.ts'
import { port42Teller } from '../formats/port42.ts'
import { spaceTeller } from '../formats/space.ts'
import { ARCHIVE_BEGINS, archiveReader } from '../formats/turnwise.ts'
import { formatOf, unknownFile, whyNoText } from './detect.ts'
import type { Found, ImportFormat } from './found.ts'
import { JsonSplitter, type JsonText } from './json-values.ts'
import { badAt, type Place } from './place.ts'
import type { Reader, Teller } from './reader.ts'

const TELLERS: Readonly<Record<Exclude<ImportFormat, 'turnwise'>, (retold: Retold, place: Place) => Teller>> = {
  port42: port42Teller,
  space: spaceTeller,
  chatgpt: chatgptTeller,
  claude: claudeTeller,
  openai: openaiTeller,
}

/** A file of text, whoever wrote it; which format it has is found by how it begins, unless it was said. */
export function textReader(retold: Retold, place: Place, format: ImportFormat | undefined): Reader {
  let reader: Reader | undefined
  let head: Uint8Array = new Uint8Array(0)

  const begun = (isWhole: boolean): Reader | undefined => {
    const why = head.length > 1 || isWhole ? whyNoText(head) : undefined
    if (why !== undefined) throw badAt(place, why)
    const text = Buffer.from(head)
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart()
    if (text.length < ARCHIVE_BEGINS.length && !isWhole) return undefined
    const isOurs = format === undefined ? text.startsWith(ARCHIVE_BEGINS) : format === 'turnwise'
    return isOurs ? archiveReader(place) : valuesReader(retold, place, format === 'turnwise' ? undefined : format)
  }
  const begin = function* (isWhole: boolean): Generator<Found> {
    reader = begun(isWhole)
    if (reader === undefined) return
    const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
    yield* reader.push(hasMark ? head.subarray(3) : head)
    head = new Uint8Array(0)
  }

  return {
    *push(bytes) {
      if (reader !== undefined) return yield* reader.push(bytes)
      // Only spaces may make this grow, and they are nothing that a file of conversations begins with.
      if (head.length > MOST_SPACE) throw badAt(place, 'the file begins with nothing but spaces')
      head = head.length === 0 ? bytes : Buffer.concat([head, bytes])
      yield* begin(false)
    },
    *end() {
      if (reader === undefined) yield* begin(true)
      if (reader !== undefined) yield* reader.end()
    },
  }
}

const MOST_SPACE = 1 << 20

/** Objects, listed or one after the other, told by whoever knows their format. */
function valuesReader(retold: Retold, place: Place, format: Exclude<ImportFormat, 'turnwise'> | undefined): Reader {
  const splitter = new JsonSplitter(place)
  let teller: Teller | undefined

  const told = (text: JsonText): Iterable<Found> => {
    if (text.isListed) place.conversation = text.number
    else place.line = text.line
    const value = parsed(text, place)
    if (teller === undefined) {
      const found = format ?? formatOf(value)
      if (found === undefined) throw unknownFile(place)
      teller = TELLERS[found](retold, place)
    }
    return teller.take(value)
  }

  return {
    *push(bytes) {
      for (const text of splitter.push(bytes)) yield* told(text)
    },
    *end() {
      splitter.end()
      if (teller !== undefined) yield* teller.end()
    },
  }
}

function parsed({ text, line, isListed }: JsonText, place: Place): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badAt(place, `is not valid JSON${isListed ? `; it begins on line ${line}` : ''}`)
  }
}
