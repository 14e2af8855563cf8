// Reads dropped, pasted and picked files into the draft.
import { useCallback, useState } from 'react'
import { sizeWords, takeFile } from '../../store/message/attachments.ts'
import { NEW } from '../../store/message/drafts.ts'
import { useActions } from '../../store/use-store.ts'
import type { AttachedPart } from '../../wire/client.ts'
import type { ApiResult } from '../../wire/problem.ts'
import { notAttachedWords } from '../../words/mcp-words.ts'
import { fileOfPart } from '../offers/offered.ts'
import { shrink } from './shrink.ts'

/** More than this is not even read: it could not be sent, and not be scaled down quickly. */
const MOST_BYTES = 64 << 20

export type FileIntake = {
  /** Into one place, or where one is. */
  readonly take: (files: Iterable<File>, place?: string) => Promise<void>
  /** The same with what a server gives; `name` is how people know it. */
  readonly takeFrom: (name: string, asked: Promise<ApiResult<OfferedFiles>>, place?: string) => Promise<void>
  /** Whether files are still on their way; a message that is sent now would go without them. */
  readonly isReading: boolean
  /** Why files were not taken, each in a sentence. */
  readonly refused: readonly string[]
  readonly refuse: (why: string) => void
  readonly forget: () => void
}

/** What a server gives to go with a message. */
export type OfferedFiles = { readonly parts: readonly AttachedPart[] }

/** Files on their way beside the draft, from wherever they come. */
export function useIntake(): FileIntake {
  const { get, attach, announce } = useActions()
  const [reading, setReading] = useState(0)
  const [refused, setRefused] = useState<readonly string[]>([])
  const forget = useCallback(() => setRefused([]), [])
  const take = useCallback(
    // Where one is when they are read may be another conversation than they were brought to.
    async (files: Iterable<File>, place: string = get().session ?? NEW): Promise<void> => {
      const whys: string[] = []
      const names: string[] = []
      setReading(many => many + 1)
      for (const file of files) {
        const why = await takeOne(file)
        if (why === null) names.push(file.name)
        else whys.push(why)
      }
      setReading(many => many - 1)
      // A problem that several files share is said once.
      setRefused([...new Set(whys)])
      if (names.length > 0) announce(`Attached: ${names.join(', ')}`)

      async function takeOne(file: File): Promise<string | null> {
        if (file.size > MOST_BYTES) return `“${file.name}” is too large: ${sizeWords(file.size)}.`
        const buffer = await file.arrayBuffer().catch(() => null)
        // A folder is a file without bytes that can be read.
        if (buffer === null) return `“${file.name}” could not be read; folders cannot be attached.`
        const taken = takeFile({ name: file.name, type: file.type, bytes: new Uint8Array(buffer) })
        if (!taken.ok) return taken.why
        return attach(taken.file.kind === 'image' ? await shrink(taken.file) : taken.file, place)
      }
    },
    [get, attach, announce],
  )
  const refuse = useCallback((why: string) => setRefused([why]), [])
  const takeFrom = useCallback(
    async (name: string, asked: Promise<ApiResult<OfferedFiles>>, place: string = get().session ?? NEW): Promise<void> => {
      setReading(many => many + 1)
      const answer = await asked
      setReading(many => many - 1)
      if (!answer.ok) return refuse(notAttachedWords(name, answer.problem))
      const files = answer.value.parts.map(fileOfPart)
      const readable = files.filter(file => file !== null)
      if (readable.length < files.length || readable.length === 0) return refuse(notAttachedWords(name, null))
      await take(readable, place)
    },
    [get, take, refuse],
  )
  return { take, takeFrom, isReading: reading > 0, refused, refuse, forget }
}
