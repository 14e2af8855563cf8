// A select for whether a tool asks before it runs.
import { useId } from 'react'
import type { ToolRow } from '../../wire/workspace-api.ts'
import { approvalWords } from '../../words/skill-words.ts'

type ApprovalSelectProps = {
  /** What it is for, as in "Rule for notes_search". */
  readonly label: string
  /** Null: no rule of its own. */
  readonly value: ToolRow['approval'] | null
  /** What no rule means; without it, there has to be one. */
  readonly otherwise?: string
  readonly isDisabled?: boolean
  readonly onChange: (value: ToolRow['approval'] | null) => void
}

const CHOICES: readonly ToolRow['approval'][] = ['auto', 'ask', 'never']

/** The rule for a tool or a pattern. */
export function ApprovalSelect({ label, value, otherwise, isDisabled = false, onChange }: ApprovalSelectProps): React.ReactNode {
  const id = useId()
  return (
    <span className="approval-select">
      <label htmlFor={id} className="unseen">
        {label}
      </label>
      <select
        id={id}
        className="form-control"
        value={value ?? ''}
        disabled={isDisabled}
        onChange={event => onChange(CHOICES.find(each => each === event.target.value) ?? null)}
      >
        {otherwise !== undefined && <option value="">{otherwise}</option>}
        {CHOICES.map(each => (
          <option key={each} value={each}>
            {sentence(approvalWords(each))}
          </option>
        ))}
      </select>
    </span>
  )
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`
