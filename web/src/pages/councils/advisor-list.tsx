// The advisors in order: open, move, remove.
import { useLayoutEffect, useRef, useState } from 'react'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { type Complaint, whyAt } from '../../form/complaints.ts'
import type { LoadedValue } from '../../parts/use-loaded.ts'
import type { ListedModels } from '../../wire/workspace-api.ts'
import type { EquipmentLists } from '../equipment/equipment-form.ts'
import { AdvisorRow } from './advisor-row.tsx'
import { type AdvisorForm, moved, withAdvisor } from './council-form.ts'

type AdvisorListProps = {
  readonly advisors: readonly AdvisorForm[]
  readonly complaints: readonly Complaint[]
  readonly models: ListedModels
  readonly policies: readonly Policy[]
  readonly lists: LoadedValue<EquipmentLists>
  readonly onChange: (advisors: readonly AdvisorForm[]) => void
}

/** The advisors in the order in which they are shown: each can be opened, moved and taken out. */
export function AdvisorList({ advisors, complaints, models, policies, lists, onChange }: AdvisorListProps): React.ReactNode {
  const list = useRef<HTMLUListElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(advisors.filter(({ id }) => id === '').map(({ row }) => row)),
  )
  const [told, setTold] = useState('')
  const back = useRef<string | null>(null)

  // A row that moved takes the focus with it, which browsers do not do by themselves.
  useLayoutEffect(() => {
    if (back.current !== null) list.current?.querySelector<HTMLElement>(back.current)?.focus()
    back.current = null
  })

  const toggle = (row: string): void =>
    setOpen(open.has(row) ? new Set([...open].filter(each => each !== row)) : new Set([...open, row]))
  const add = (): void => {
    const more = withAdvisor(advisors)
    const row = more.at(-1)?.row ?? ''
    setOpen(new Set([...open, row]))
    back.current = `[data-row="${row}"] input`
    onChange(more)
  }
  const move = (index: number, by: -1 | 1, from: 'handle' | 'button'): void => {
    const advisor = advisors[index]
    const place = index + by
    if (advisor === undefined || place < 0 || place >= advisors.length) return
    // At the edge the button that was pressed can do nothing more; the other one can.
    const last = by === -1 ? place === 0 : place === advisors.length - 1
    const button = (by === -1) === last ? 'down' : 'up'
    back.current = `[data-row="${advisor.row}"] ${from === 'handle' ? '.advisor-toggle' : `[data-move="${button}"]`}`
    setTold(`${advisor.name}, now ${place + 1} of ${advisors.length}`)
    onChange(moved(advisors, index, by))
  }
  const remove = (index: number): void => {
    setTold(`${advisors[index]?.name ?? ''} was taken out`)
    const next = advisors[index + 1] ?? advisors[index - 1]
    back.current = next === undefined ? null : `[data-row="${next.row}"] .advisor-toggle`
    onChange(advisors.toSpliced(index, 1))
  }

  const why = complaints.find(({ path }) => path === 'advisors')?.why
  return (
    <>
      {why !== undefined && <p className="form-error">{why}</p>}
      <ul className="advisor-list" ref={list}>
        {advisors.map((advisor, index) => (
          <AdvisorRow
            key={advisor.row}
            advisor={advisor}
            index={index}
            others={advisors.filter(other => other !== advisor)}
            isOpen={open.has(advisor.row) || whyAt(complaints, `advisors.${index}`) !== undefined}
            complaints={complaints}
            models={models}
            policies={policies}
            lists={lists}
            onToggle={() => toggle(advisor.row)}
            onMove={(by, from) => move(index, by, from)}
            onRemove={() => remove(index)}
            onChange={changes => onChange(advisors.with(index, { ...advisor, ...changes }))}
          />
        ))}
      </ul>
      <button type="button" className="button add-advisor" onClick={add} disabled={advisors.length >= MOST_ADVISORS}>
        Add an advisor
      </button>
      <p className="unseen" role="status">
        {told}
      </p>
    </>
  )
}

/** As many as the gateway takes. */
const MOST_ADVISORS = 24
