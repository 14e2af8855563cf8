// One advisor in the editor: a line, and its fields behind it.
import { useId } from 'react'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import type { Complaint } from '../../form/complaints.ts'
import { Icon } from '../../parts/icon.tsx'
import type { LoadedValue } from '../../parts/use-loaded.ts'
import type { ListedModels } from '../../wire/workspace-api.ts'
import { roleWords } from '../../words/council-words.ts'
import type { EquipmentLists } from '../equipment/equipment-form.ts'
import { AdvisorFields } from './advisor-fields.tsx'
import type { AdvisorForm } from './council-form.ts'

export type AdvisorRowProps = {
  readonly advisor: AdvisorForm
  readonly index: number
  readonly others: readonly AdvisorForm[]
  readonly isOpen: boolean
  readonly complaints: readonly Complaint[]
  readonly models: ListedModels
  readonly policies: readonly Policy[]
  readonly lists: LoadedValue<EquipmentLists>
  readonly onToggle: () => void
  /** By a button, or by the keys on the row itself. */
  readonly onMove: (by: -1 | 1, from: 'handle' | 'button') => void
  readonly onRemove: () => void
  readonly onChange: (changes: Partial<AdvisorForm>) => void
}

/** One advisor: a line to know it by, its fields behind it. Alt and an arrow key move it. */
export function AdvisorRow(props: AdvisorRowProps): React.ReactNode {
  const { advisor, index, others, isOpen, onToggle, onMove, onRemove } = props
  const id = useId()
  const name = advisor.name.trim() === '' ? 'New advisor' : advisor.name
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onMove(event.key === 'ArrowUp' ? -1 : 1, 'handle')
  }
  return (
    <li className="advisor-row" data-row={advisor.row} data-active={advisor.active}>
      <div className="advisor-line">
        <button
          type="button"
          className="advisor-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          title="Alt with an arrow key moves it"
          onClick={onToggle}
          onKeyDown={onKeyDown}
        >
          <span
            className="voice-dot"
            aria-hidden="true"
            style={advisor.color === '' ? undefined : { backgroundColor: advisor.color }}
          />
          <span className="advisor-name">{name}</span>
          {!advisor.active && <span className="advisor-state">hidden</span>}
          <span className="advisor-about">{roleWords(advisor)}</span>
        </button>
        <button
          type="button"
          className="small-button"
          data-move="up"
          aria-label={`Move ${name} up`}
          title="Move up"
          disabled={index === 0}
          onClick={() => onMove(-1, 'button')}
        >
          <Icon name="send" />
        </button>
        <button
          type="button"
          className="small-button"
          data-move="down"
          aria-label={`Move ${name} down`}
          title="Move down"
          disabled={index === others.length}
          onClick={() => onMove(1, 'button')}
        >
          <Icon name="down" />
        </button>
        <button type="button" className="small-button" aria-label={`Take ${name} out`} title="Take out" onClick={onRemove}>
          <Icon name="bin" />
        </button>
      </div>
      <div className="advisor-fields" id={id} hidden={!isOpen}>
        {isOpen && <AdvisorFields {...props} />}
      </div>
    </li>
  )
}
