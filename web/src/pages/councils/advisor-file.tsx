// Exports and imports advisors as a file.
import { useState } from 'react'
import type { Council } from '../../../../src/model/settings/council.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { FileButton } from '../file-button.tsx'

type AdvisorFileProps = {
  readonly council: string
  /** An import writes at once, so what is not saved yet must be settled first. */
  readonly isChanged: boolean
  readonly onImported: (council: Council) => void
}

/** Advisors go out and come in as a file. */
export function AdvisorFile({ council, isChanged, onImported }: AdvisorFileProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const bring = async (file: File): Promise<void> => {
    const parsed = jsonIn(await file.text())
    if (parsed === undefined) return setProblem({ ...NOT_JSON, title: `“${file.name}” cannot be imported` })
    const taken = await workspaceApi.importAdvisors(council, parsed)
    setProblem(taken.ok ? null : taken.problem)
    if (taken.ok) onImported(taken.value)
  }
  const give = async (): Promise<void> => {
    const read = await workspaceApi.council(council)
    setProblem(read.ok ? null : read.problem)
    if (!read.ok) return
    const text = `${JSON.stringify({ advisors: read.value.advisors }, null, 2)}\n`
    saveFile({ name: `${council}-advisors.json`, text })
  }
  return (
    <section className="advisor-file" aria-label="Advisors as a file">
      <div className="page-actions">
        <button type="button" className="button" onClick={() => give().catch(reportError)}>
          Export the advisors
        </button>
        {isChanged ? (
          <span className="form-hint">Save or discard your changes to import advisors.</span>
        ) : (
          <FileButton label="Import advisors" accept=".json,application/json" onFile={file => bring(file).catch(reportError)} />
        )}
      </div>
      {problem !== null && <ProblemBox problem={problem} />}
    </section>
  )
}

const NOT_JSON = { status: 0, detail: 'It is not JSON, as an exported file is.' } as const

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
