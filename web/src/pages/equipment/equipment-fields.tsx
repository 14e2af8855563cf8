// The section in which the tools and skills of an agent or advisor are chosen.
import { useState } from 'react'
import { type Complaint, whyAt } from '../../form/complaints.ts'
import { type LoadedValue, useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { together } from '../../wire/together.ts'
import { chosenTokensWords, meansWords } from '../../words/skill-words.ts'
import { formatCount } from '../../words/words.ts'
import { ChoiceField } from '../choice.tsx'
import { Read } from '../read.tsx'
import {
  type EquipmentChoice,
  type EquipmentForm,
  type EquipmentLists,
  equipmentTokens,
  hasName,
  type NameList,
  otherEntries,
  skillChoices,
  type ToolGroup,
  toolGroups,
  withEntry,
} from './equipment-form.ts'

/** The skills and tools there are, read once for a whole form. */
export function useEquipmentLists(): LoadedValue<EquipmentLists> {
  const workspaceApi = useWorkspaceApi()
  return useLoaded('equipment', () => together({ skills: workspaceApi.skills(), tools: workspaceApi.tools() }))
}

type EquipmentFieldsProps = {
  readonly value: EquipmentForm
  readonly lists: LoadedValue<EquipmentLists>
  /** Whether no list means everything; for an advisor without the workspace's equipment it means nothing. */
  readonly hasAll: boolean
  readonly complaints: readonly Complaint[]
  /** Where the lists are in what is sent, as in `advisors.1.`. */
  readonly path?: string
  readonly onChange: (changes: Partial<EquipmentForm>) => void
}

export function EquipmentFields(props: EquipmentFieldsProps): React.ReactNode {
  const { value, lists, hasAll, complaints, path = '', onChange } = props
  return (
    <section className="equipment" aria-label="Tools and skills">
      <div className="equipment-head">
        <h3 className="form-part">Tools and skills</h3>
        <span className="form-aside" role="status">
          {lists.value !== null && chosenTokensWords(equipmentTokens(value, lists.value, hasAll))}
        </span>
      </div>
      <Read from={lists} what="tools and skills">
        {found => (
          <>
            <ListPart
              label="Skills"
              value={value.skills}
              hasAll={hasAll}
              error={whyAt(complaints, `${path}skills`)}
              onChange={skills => onChange({ skills })}
            >
              {list => (
                <ListedChoices
                  list={list}
                  groups={[{ title: '', pattern: null, tools: skillChoices(found) }]}
                  thing="skill"
                  onChange={skills => onChange({ skills })}
                />
              )}
            </ListPart>
            <ListPart
              label="Tools"
              value={value.tools}
              hasAll={hasAll}
              error={whyAt(complaints, `${path}tools`)}
              hint={value.skills === null || !hasAll ? undefined : 'Those of skills that it does not have are left out.'}
              onChange={tools => onChange({ tools })}
            >
              {list => (
                <ListedChoices list={list} groups={toolGroups(found)} thing="tool" onChange={tools => onChange({ tools })} />
              )}
            </ListPart>
          </>
        )}
      </Read>
    </section>
  )
}

type ListPartProps = {
  readonly label: string
  readonly value: NameList
  readonly hasAll: boolean
  readonly error: string | undefined
  /** Shown while there is no list. */
  readonly hint?: string | undefined
  readonly onChange: (list: NameList) => void
  readonly children: (list: readonly string[]) => React.ReactNode
}

/** All or none of them, or a list. What was ticked comes back when the person changes their mind. */
function ListPart({ label, value, hasAll, error, hint, onChange, children }: ListPartProps): React.ReactNode {
  const [last, setLast] = useState<readonly string[]>(value ?? [])
  const choose = (word: 'all' | 'these'): void => {
    if (value !== null) setLast(value)
    onChange(word === 'all' ? null : last)
  }
  return (
    <div className="equipment-part" data-part={label.toLowerCase()}>
      <div className="equipment-choice">
        <span aria-hidden="true">{label}</span>
        <ChoiceField
          label={label}
          options={[
            ['all', hasAll ? 'All' : 'None'],
            ['these', 'Only these'],
          ]}
          value={value === null ? 'all' : 'these'}
          onChange={choose}
        />
      </div>
      {error !== undefined && <p className="form-error">{error}</p>}
      {value === null ? hint !== undefined && <p className="form-hint">{hint}</p> : children(value)}
    </div>
  )
}

type ListedChoicesProps = {
  readonly list: readonly string[]
  readonly groups: readonly ToolGroup[]
  readonly thing: 'skill' | 'tool'
  readonly onChange: (list: readonly string[]) => void
}

function ListedChoices({ list, groups, thing, onChange }: ListedChoicesProps): React.ReactNode {
  const names = groups.flatMap(({ tools }) => tools.map(({ name }) => name))
  // An entry that is taken out can be put back until the form is left.
  const [first] = useState(list)
  const patterns = groups.flatMap(({ pattern }) => pattern ?? [])
  const others = otherEntries([...first, ...list], names, patterns)
  const set = (key: string, isIn: boolean): void => onChange(withEntry(list, key, isIn))
  return (
    <div className="equipment-groups">
      {names.length + others.length === 0 && <p className="form-hint">There are no {thing}s.</p>}
      {groups.map(group =>
        group.pattern === null ? (
          <ChoiceRows key={group.title} title={group.title} choices={group.tools} list={list} onSet={set} />
        ) : (
          <ServerRows key={group.title} group={group} pattern={group.pattern} list={list} onSet={set} />
        ),
      )}
      {others.length > 0 && (
        <fieldset className="equipment-group">
          <legend className={names.length === 0 ? 'unseen' : undefined}>In the list</legend>
          {others.map(({ key, means }) => (
            <Tick
              key={key}
              name={key}
              about={meansWords(means, thing)}
              isOn={list.includes(key)}
              onChange={isIn => set(key, isIn)}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}

type RowsProps = {
  readonly list: readonly string[]
  readonly onSet: (key: string, isIn: boolean) => void
}

/** All tools of a server as one choice, and each of them behind it. */
function ServerRows({
  group: { title, tools },
  pattern,
  list,
  onSet,
}: RowsProps & { readonly group: ToolGroup; readonly pattern: string }): React.ReactNode {
  const isWhole = list.includes(pattern)
  const [isOpen] = useState(() => tools.some(({ name }) => list.includes(name)))
  return (
    <fieldset className="equipment-group">
      <legend>{title}</legend>
      <Tick
        name={pattern}
        about={tools.length === 1 ? 'Its tool, and those it gets later' : `All ${tools.length} tools, and those it gets later`}
        tokens={tools.reduce((sum, { tokens }) => sum + tokens, 0)}
        isOn={isWhole}
        onChange={isIn => onSet(pattern, isIn)}
      />
      {!isWhole && (
        <details className="fold" open={isOpen}>
          <summary>
            Single tools<span className="unseen"> of {title}</span>
          </summary>
          <ChoiceRows title="" choices={tools} list={list} onSet={onSet} />
        </details>
      )}
    </fieldset>
  )
}

function ChoiceRows({
  title,
  choices,
  list,
  onSet,
}: RowsProps & { readonly title: string; readonly choices: readonly EquipmentChoice[] }): React.ReactNode {
  const rows = choices.map(({ name, description, tokens }) => {
    const isNamed = list.includes(name)
    const by = isNamed ? undefined : list.find(key => hasName([key], name))
    return (
      <Tick
        key={name}
        name={name}
        about={by === undefined ? description : `Chosen by ${by}`}
        tokens={tokens}
        isOn={isNamed || by !== undefined}
        isFixed={by !== undefined}
        onChange={isIn => onSet(name, isIn)}
      />
    )
  })
  if (title === '') return <div className="equipment-group">{rows}</div>
  return (
    <fieldset className="equipment-group">
      <legend>{title}</legend>
      {rows}
    </fieldset>
  )
}

type TickProps = {
  readonly name: string
  readonly about: string
  readonly tokens?: number
  readonly isOn: boolean
  /** Something else in the list decides about it. */
  readonly isFixed?: boolean
  readonly onChange: (isOn: boolean) => void
}

function Tick({ name, about, tokens, isOn, isFixed = false, onChange }: TickProps): React.ReactNode {
  return (
    <label className="equipment-row" data-name={name}>
      <input type="checkbox" checked={isOn} disabled={isFixed} onChange={event => onChange(event.target.checked)} />
      <code>{name}</code>
      {tokens !== undefined && <span className="equipment-price">+{formatCount(tokens)}</span>}
      <span className="equipment-about">{about}</span>
    </label>
  )
}
