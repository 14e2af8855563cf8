import { useCallback, useState } from 'react'
import { useActions } from '../store/use-store.ts'
import { sizeWords, takeFile } from './attachments.ts'
import { shrink } from './shrink.ts'

/** More than this is not even read: it could not be sent, and not be scaled down quickly. */
const MOST_BYTES = 64 << 20

export type Intake = {
  readonly take: (files: Iterable<File>) => Promise<void>
  /** Why files were not taken, each in a sentence. */
  readonly refused: readonly string[]
  readonly forget: () => void
}

/** Files on their way beside the draft, from wherever they come. */
export function useIntake(): Intake {
  const { attach, announce } = useActions()
  const [refused, setRefused] = useState<readonly string[]>([])
  const forget = useCallback(() => setRefused([]), [])
  const take = useCallback(
    async (files: Iterable<File>): Promise<void> => {
      const whys: string[] = []
      const names: string[] = []
      for (const file of files) {
        const why = await takeOne(file)
        if (why === null) names.push(file.name)
        else whys.push(why)
      }
      setRefused(whys)
      if (names.length > 0) announce(`Attached: ${names.join(', ')}`)

      async function takeOne(file: File): Promise<string | null> {
        if (file.size > MOST_BYTES) return `“${file.name}” is too large: ${sizeWords(file.size)}.`
        const buffer = await file.arrayBuffer().catch(() => null)
        // A folder is a file without bytes that can be read.
        if (buffer === null) return `“${file.name}” could not be read; folders cannot be attached.`
        const taken = takeFile({ name: file.name, type: file.type, bytes: new Uint8Array(buffer) })
        if (!taken.ok) return taken.why
        return attach(taken.file.kind === 'image' ? await shrink(taken.file) : taken.file)
      }
    },
    [attach, announce],
  )
  return { take, refused, forget }
}
