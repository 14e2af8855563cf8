// Advisors that a model suggests for a question.
import { useState } from 'react'
import { ProblemBox } from '../../form/problem-box.tsx'
import { TextField } from '../../form/text-field.tsx'
import { useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import type { SuggestedAdvisor } from '../../wire/workspace-api.ts'

type SuggestionsProps = { readonly council: string; readonly onPick: (advisor: SuggestedAdvisor) => void }

/** Advisors that would suit a question, thought of by the model. Nothing changes until one is picked, and saved. */
export function AdvisorSuggestions({ council, onPick }: SuggestionsProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const [question, setQuestion] = useState('')
  const [asking, setAsking] = useState(false)
  const [found, setFound] = useState<readonly SuggestedAdvisor[]>([])
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const show = (answer: ApiResult<{ readonly advisors: readonly SuggestedAdvisor[] }>): void => {
    setProblem(answer.ok ? null : answer.problem)
    if (answer.ok) setFound(answer.value.advisors)
  }
  const ask = (): void => {
    if (question.trim() === '' || asking) return
    setAsking(true)
    workspaceApi
      .suggest(council, question.trim())
      .then(show)
      .catch(reportError)
      .finally(() => setAsking(false))
  }
  const pick = (advisor: SuggestedAdvisor): void => {
    setFound(found.filter(other => other !== advisor))
    onPick(advisor)
  }
  return (
    <section className="advisor-ideas" aria-label="Suggestions">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter asks here, and must not save the council */}
      <div
        className="ideas-ask"
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement)) return
          event.preventDefault()
          ask()
        }}
      >
        <TextField
          label="Who would suit a question?"
          value={question}
          placeholder="Should we move the shop to the harbour?"
          hint="The model is asked, and suggests advisors to pick from."
          onChange={setQuestion}
        />
        <button type="button" className="button" disabled={asking || question.trim() === ''} onClick={ask}>
          {asking ? 'Asking …' : 'Suggest'}
        </button>
      </div>
      {problem !== null && <ProblemBox problem={problem} />}
      <ul className="ideas" aria-live="polite">
        {found.map(advisor => (
          <li key={`${advisor.name} ${advisor.description}`} className="idea">
            <div>
              <strong>{advisor.name}</strong>
              <p>{advisor.description}</p>
            </div>
            <button type="button" className="button" onClick={() => pick(advisor)}>
              Add<span className="unseen"> {advisor.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
