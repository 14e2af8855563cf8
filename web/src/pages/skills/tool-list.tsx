// The tools there are, each with the rule that decides whether it asks.
import type { SkillRow, ToolRow } from '../../wire/workspace-api.ts'
import { approvalWords, sourceWords } from '../../words/skill-words.ts'
import type { SettingsEditing } from '../settings/use-settings.ts'
import { ApprovalSelect } from './approval-select.tsx'
import { rulePatch, toolRulesIn } from './rules.ts'

type ToolListProps = {
  readonly tools: readonly ToolRow[]
  readonly skills: readonly SkillRow[]
  readonly editing: SettingsEditing
}

export function ToolList({ tools, skills, editing }: ToolListProps): React.ReactNode {
  const rules = toolRulesIn(editing.tree)
  const isFixed = editing.at('tools.approve')?.editable !== true
  return (
    <section className="page-part" aria-labelledby="tools">
      <h2 id="tools">Tools</h2>
      <p className="page-note">
        What a skill’s tool runs is in its <code>tools.json</code>. Every call in a chat shows its exact command.
      </p>
      {tools.length === 0 && <p className="empty">There are no tools.</p>}
      <ul className="rows">
        {tools.map(({ name, description, approval, parameters, server, rule }) => (
          <li key={name} className="row-item" data-tool={name}>
            <div className="row-head">
              <h3>
                <code>{name}</code>
              </h3>
              <span className="chip" data-kind={approval}>
                {approvalWords(approval)}
              </span>
              {rule !== undefined && rule !== null && rule !== name && (
                <span className="faint">
                  by the rule <code>{rule}</code>
                </span>
              )}
              <span className="tool-rule">
                <ApprovalSelect
                  label={`Rule for ${name}`}
                  value={rules[name] ?? null}
                  otherwise="No rule of its own"
                  isDisabled={isFixed}
                  onChange={value => editing.change(rulePatch(name, value)).catch(reportError)}
                />
              </span>
            </div>
            <p>{description}</p>
            <p className="page-note">
              {typeof server === 'string' ? `From the MCP server “${server}”.` : sourceWords(name, skills)}
            </p>
            <details className="fold">
              <summary>
                Parameters<span className="unseen"> of {name}</span>
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
              <pre tabIndex={0}>{JSON.stringify(parameters, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
