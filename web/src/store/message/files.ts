// Exports and imports conversations as files.
import type { ApiClient, FileFormat, SavedFile } from '../../wire/client.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { SessionListStore } from '../sessions.ts'
import type { Undo } from '../undo.ts'

/** Conversations as files, out and in. */
export type FileActions = {
  /** A file to save; null if it could not be loaded, which the page then shows. */
  readonly exported: (id: string, format: FileFormat) => Promise<SavedFile | null>
  /** Takes in a file's conversations, and shows the one if it has only one. */
  readonly bring: (file: Blob) => Promise<void>
}

type FilesNeeds = {
  readonly client: Pick<ApiClient, 'exported' | 'bring'>
  readonly sessions: Pick<SessionListStore, 'refresh'>
  readonly undo: Pick<Undo, 'offer'>
  readonly onProblem: (problem: ApiProblem) => void
  readonly go: (session: string | null) => void
}

export function createFileActions({ client, sessions, undo, onProblem, go }: FilesNeeds): FileActions {
  const failed = (what: string, problem: ApiProblem): void => {
    onProblem(problem)
    undo.offer({ text: `${what}: ${problem.detail}` })
  }
  return {
    exported: async (id, format) => {
      const file = await client.exported(id, format)
      if (file.ok) return file.value
      failed('Not exported', file.problem)
      return null
    },
    bring: async file => {
      undo.offer({ text: 'Importing …' })
      const imported = await client.bring(file)
      if (!imported.ok) return failed('Not imported', imported.problem)
      const { sessions: count, messages, remarks, ids } = imported.value
      const [only] = ids
      const words = count === 1 ? '1 conversation' : `${count} conversations`
      undo.offer({ text: [`Imported ${words} with ${messages} messages`, ...remarks].join('. ') })
      await sessions.refresh()
      if (count === 1 && only !== undefined) go(only)
    },
  }
}
