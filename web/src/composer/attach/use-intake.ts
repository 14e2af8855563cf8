// Reads dropped, pasted and picked files into the draft.
import { useCallback, useState } from 'react'
import { sizeWords, takeFile } from '../../store/message/attachments.ts'
import { NEW } from '../../store/message/drafts.ts'
import { useActions } from '../../store/use-store.ts'
import { shrink } from './shrink.ts'

/** More than this is not even read: it could not be sent, and not be scaled down quickly. */
const MOST_BYTES = 64 << 20

export type FileIntake = {
  readonly take: (files: Iterable<File>) => Promise<void>
  /** Whether files are still on their way; a message that is sent now would go without them. */
  readonly isReading: boolean
  /** Why files were not taken, each in a sentence. */
  readonly refused: readonly string[]
  readonly forget: () => void
}

/** Files on their way beside the draft, from wherever they come. */
export function useIntake(): FileIntake {
  const { get, attach, announce } = useActions()
  const [reading, setReading] = useState(0)
  const [refused, setRefused] = useState<readonly string[]>([])
  const forget = useCallback(() => setRefused([]), [])
  const take = useCallback(
    async (files: Iterable<File>): Promise<void> => {
      // Where one is when they are read may be another conversation than they were brought to.
      const place = get().session ?? NEW
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
  return { take, isReading: reading > 0, refused, forget }
}
