// Reads a text file of any known format.
import { chatgptConversations } from '../formats/chatgpt.ts'
import { claudeConversations } from '../formats/claude.ts'
import type { FactsBuilderNeeds } from '../formats/facts-builder.ts'
import { openaiConversations } from '../formats/openai-jsonl.ts'
import { port42Conversations } from '../formats/port42.ts'
import { spaceConversations } from '../formats/space.ts'
import { ARCHIVE_BEGINS, archiveReader } from '../formats/turnwise.ts'
import { formatOf, unknownFile, whyNoText } from './detect.ts'
import type { ArchiveItem, ImportFormat } from './found.ts'
import { JsonSplitter, type JsonText } from './json-values.ts'
import { badAt, type FilePosition } from './place.ts'
import type { ConversationReader, FormatReader } from './reader.ts'

const TELLERS: Readonly<
  Record<Exclude<ImportFormat, 'turnwise'>, (needs: FactsBuilderNeeds, place: FilePosition) => ConversationReader>
> = {
  port42: port42Conversations,
  space: spaceConversations,
  chatgpt: chatgptConversations,
  claude: claudeConversations,
  openai: openaiConversations,
}

/** Reads a text file of any known program. Unless the format is given, the beginning of the file decides it. */
export function textReader(needs: FactsBuilderNeeds, place: FilePosition, format: ImportFormat | undefined): FormatReader {
  let reader: FormatReader | undefined
  let head: Uint8Array = new Uint8Array(0)

  const begun = (isWhole: boolean): FormatReader | undefined => {
    const why = head.length > 1 || isWhole ? whyNoText(head) : undefined
    if (why !== undefined) throw badAt(place, why)
    const text = Buffer.from(head)
      .toString('latin1')
      .replace(/^\xef\xbb\xbf/, '')
      .trimStart()
    if (text.length < ARCHIVE_BEGINS.length && !isWhole) return undefined
    const isOurs = format === undefined ? text.startsWith(ARCHIVE_BEGINS) : format === 'turnwise'
    return isOurs ? archiveReader(place) : valuesReader(needs, place, format === 'turnwise' ? undefined : format)
  }
  const begin = function* (isWhole: boolean): Generator<ArchiveItem> {
    reader = begun(isWhole)
    if (reader === undefined) return
    const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
    yield* reader.push(hasMark ? head.subarray(3) : head)
    head = new Uint8Array(0)
  }

  return {
    *push(bytes) {
      if (reader !== undefined) return yield* reader.push(bytes)
      // Only spaces can make this grow, and no file of conversations begins with that many.
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

/** Splits a file into objects, listed or one after the other, and gives each to the reader of its format. */
function valuesReader(
  needs: FactsBuilderNeeds,
  place: FilePosition,
  format: Exclude<ImportFormat, 'turnwise'> | undefined,
): FormatReader {
  const splitter = new JsonSplitter(place)
  let conversations: ConversationReader | undefined

  const itemsOf = (text: JsonText): Iterable<ArchiveItem> => {
    if (text.isListed) place.conversation = text.number
    else place.line = text.line
    const value = parsed(text, place)
    if (conversations === undefined) {
      const found = format ?? formatOf(value)
      if (found === undefined) throw unknownFile(place)
      conversations = TELLERS[found](needs, place)
    }
    return conversations.take(value)
  }

  return {
    *push(bytes) {
      for (const text of splitter.push(bytes)) yield* itemsOf(text)
    },
    *end() {
      splitter.end()
      if (conversations !== undefined) yield* conversations.end()
    },
  }
}

function parsed({ text, line, isListed }: JsonText, place: FilePosition): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badAt(place, `is not valid JSON${isListed ? `; it begins on line ${line}` : ''}`)
  }
}
