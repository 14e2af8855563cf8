/** Reads the files that a request shows, and keeps recent ones in memory. */
import type { KeptText, Texts } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { isSeen } from '../../model/message/attachment.ts'
import type { Block, FileBlock, Plan } from '../../model/plan.ts'
import type { Files } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** Reads kept texts by their hashes, as a log does. */
type Read = Texts['texts']

/** The bytes of every file that a plan shows; one that is gone is named. */
export async function filesOf(plan: Plan, read: Read): Promise<Result<Files, Fault>> {
  const shown = shownIn(plan)
  if (shown.length === 0) return ok(new Map())
  const found = await read([...new Set(shown.map(({ hash }) => hash))])
  if (!found.ok) return found
  const missing = shown.find(({ hash }) => !found.value.has(hash))
  return missing === undefined ? found : err(fault('store', `the file ${missing.name} is gone`))
}

function shownIn({ messages, abilities }: Plan): readonly FileBlock[] {
  const blocks = messages.flatMap(message => message.blocks)
  return blocks.flatMap(filesWithin).filter(file => isSeen(file, abilities))
}

function filesWithin(block: Block): readonly FileBlock[] {
  if (block.type === 'result') return block.images ?? []
  return block.type === 'image' || block.type === 'file' ? [block] : []
}

/** Files at hand: what has just come in need not be read back, not even while the store is away. */
export type RequestFiles = { readonly keep: (texts: readonly KeptText[]) => void; readonly read: Read }

/** Four messages of the largest kind. */
const MOST_CHARACTERS = 96 << 20

export function createRequestFiles(log: Texts): RequestFiles {
  const known = new Map<string, string>()
  let characters = 0
  const keep: RequestFiles['keep'] = texts => {
    for (const { hash, text } of texts) {
      if (!known.has(hash)) characters += text.length
      known.delete(hash)
      known.set(hash, text)
    }
    for (const [hash, text] of known) {
      if (characters <= MOST_CHARACTERS) return
      known.delete(hash)
      characters -= text.length
    }
  }
  return {
    keep,
    read: async hashes => {
      const missing = hashes.filter(hash => !known.has(hash))
      const found = missing.length === 0 ? ok(new Map<string, string>()) : await log.texts(missing)
      if (!found.ok) return found
      const all = new Map(hashes.flatMap(hash => entry(hash, known.get(hash) ?? found.value.get(hash))))
      keep([...all].map(([hash, text]) => ({ hash, text })))
      return ok(all)
    },
  }
}

const entry = (hash: string, text: string | undefined): [string, string][] => (text === undefined ? [] : [[hash, text]])

/** Shorter payloads are shown as they are. */
const SHOWN = 200

/** A request's body for people. Files are replaced by their number of bytes, and everything else is as it was sent. */
export function shownBody(body: string, plan: Plan, files: Files): unknown {
  const names = new Map(shownIn(plan).map(({ hash, name }) => [files.get(hash) ?? '', name]))
  if (names.size === 0) return JSON.parse(body)
  return JSON.parse(body, (_key, value: unknown) => (typeof value === 'string' && value.length > SHOWN ? short(value) : value))

  function short(text: string): string {
    const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0
    const payload = text.slice(start)
    const name = names.get(payload)
    if (name === undefined || payload.length <= SHOWN) return text
    return `${text.slice(0, start)}…${payload.length} characters of ${name}…`
  }
}
