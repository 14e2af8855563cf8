// Deletes a council after asking.
import { useState } from 'react'
import { ConfirmDialog } from '../../form/confirm-dialog.tsx'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'

type DeleteCouncilProps = {
  readonly council: { readonly key: string; readonly name: string }
  readonly words: string
  readonly onDeleted: () => void
}

/** Deletes a council from its file, after the person has confirmed it. */
export function DeleteCouncil({ council: { key, name }, words, onDeleted }: DeleteCouncilProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const remove = async (): Promise<void> => {
    const removed = await workspaceApi.removeCouncil(key)
    if (removed.ok) onDeleted()
    else setProblem(removed.problem)
  }
  return (
    <>
      {problem !== null && <ProblemBox problem={problem} />}
      <button type="button" className="text-button danger-words" onClick={() => setAsking(true)}>
        {words}
        <span className="unseen"> {name}</span>
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          text="It is taken out of councils.json. Its conversations can still be read, but they get no more answers."
          action="Delete"
          onConfirm={() => remove().catch(reportError)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
