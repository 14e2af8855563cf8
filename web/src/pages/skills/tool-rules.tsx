// The rules that decide which tools ask before they run.
import { useState } from 'react'
import { whyAt } from '../../form/complaints.ts'
import { TextField } from '../../form/text-field.tsx'
import type { ToolRow } from '../../wire/workspace-api.ts'
import type { SettingsEditing } from '../settings/use-settings.ts'
import { ApprovalSelect } from './approval-select.tsx'
import { meantBy, rulePatch, toolRulesIn, whyNotARule } from './rules.ts'

type ToolRulesProps = { readonly editing: SettingsEditing; readonly tools: readonly ToolRow[] }

/** Rules by name and by pattern. */
export function ToolRulesPart({ editing, tools }: ToolRulesProps): React.ReactNode {
  const rules = toolRulesIn(editing.tree)
  const isFixed = editing.at('tools.approve')?.editable !== true
  const set = (key: string, approval: ToolRow['approval'] | null): void => {
    editing.change(rulePatch(key, approval)).catch(reportError)
  }
  return (
    <section className="page-part" aria-labelledby="tool-rules">
      <h2 id="tool-rules">Rules for tools</h2>
      <p className="page-note">
        A rule applies to one tool, or to all tools whose names start the same way, such as <code>files__*</code>. An exact name
        wins, then the longest pattern. Without a rule, a tool asks before it runs.
      </p>
      {Object.keys(rules).length > 0 && (
        <ul className="rule-rows">
          {Object.entries(rules).map(([key, approval]) => (
            <li key={key} data-rule={key}>
              <code>{key}</code>
              <span className="faint">{countWords(meantBy(key, tools))}</span>
              <ApprovalSelect
                label={`Rule for ${key}`}
                value={approval}
                isDisabled={isFixed}
                onChange={value => set(key, value)}
              />
              <button type="button" className="text-button danger-words" disabled={isFixed} onClick={() => set(key, null)}>
                Remove<span className="unseen"> the rule for {key}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <NewRule editing={editing} tools={tools} />
    </section>
  )
}

function NewRule({ editing, tools }: ToolRulesProps): React.ReactNode {
  const [key, setKey] = useState('')
  const [approval, setApproval] = useState<ToolRow['approval']>('ask')
  const [isTried, setTried] = useState(false)
  const wrong = whyNotARule(key.trim(), toolRulesIn(editing.tree))
  const add = async (): Promise<void> => {
    setTried(true)
    if (wrong !== undefined || !(await editing.change(rulePatch(key.trim(), approval)))) return
    setKey('')
    setTried(false)
  }
  return (
    <form
      className="rule-new"
      aria-label="New rule"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        add().catch(reportError)
      }}
    >
      <TextField
        label="Tool or pattern"
        value={key}
        isCode
        placeholder="files__*"
        maxLength={128}
        error={isTried ? (wrong ?? whyAt(editing.complaints, 'tools.approve')) : undefined}
        hint={key.trim() === '' || wrong !== undefined ? undefined : countWords(meantBy(key.trim(), tools))}
        onChange={setKey}
      />
      <ApprovalSelect label="What the new rule says" value={approval} onChange={value => setApproval(value ?? 'ask')} />
      <button type="submit" className="button">
        Add rule
      </button>
    </form>
  )
}

const countWords = (count: number): string =>
  count === 0 ? 'Matches no tool now' : count === 1 ? 'Matches 1 tool' : `Matches ${count} tools`
