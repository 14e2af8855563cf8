// One MCP server with its state, its tools, and what can be done about it.
import { useState } from 'react'
import { ConfirmDialog } from '../../form/confirm-dialog.tsx'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useWorkspaceApi } from '../../store/use-store.ts'
import type { McpServerRow } from '../../wire/mcp-api.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import { mcpOfferWords, mcpStateWords } from '../../words/mcp-words.ts'
import { approvalWords } from '../../words/skill-words.ts'
import type { SettingsEditing } from '../settings/use-settings.ts'
import { ApprovalSelect } from '../skills/approval-select.tsx'
import { rulePatch, serverPattern, toolRulesIn } from '../skills/rules.ts'
import { McpLog } from './mcp-log.tsx'
import { McpOffers } from './mcp-offers.tsx'

type McpServerProps = {
  readonly server: McpServerRow
  readonly editing: SettingsEditing
  readonly onChange: () => void
  readonly onEdit: () => void
}

export function McpServerCard({ server, editing, onChange, onEdit }: McpServerProps): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  /** Where the person signs in, for as long as the state lasts in which that began. */
  const [begun, setBegun] = useState<{ readonly url: string; readonly since: string } | null>(null)
  const { name, state, message, tools, kind } = server
  const run = async (asked: Promise<ApiResult<unknown>>): Promise<void> => {
    setBusy(true)
    const done = await asked
    setBusy(false)
    setProblem(done.ok ? null : done.problem)
    onChange()
  }
  const signIn = async (): Promise<void> => {
    const done = await mcp.signIn(name)
    setProblem(done.ok ? null : done.problem)
    if (!done.ok || !/^https?:\/\//.test(done.value.url)) return
    setBegun({ url: done.value.url, since: server.since })
    open(done.value.url, '_blank', 'noopener,noreferrer')
  }
  const of = <span className="unseen"> {name}</span>
  return (
    <li className="card" data-server={name}>
      <div className="row-head">
        <h2>{name}</h2>
        <span className="chip" data-kind={state === 'ready' ? 'ready' : state === 'starting' ? 'ask' : 'missing'} role="status">
          {mcpStateWords(state)}
        </span>
        <span className="faint">{mcpOfferWords(server)}</span>
      </div>
      <p className="page-note">
        <code className="mcp-where">{kind === 'http' ? server.url : (server.command ?? []).join(' ')}</code>
      </p>
      {message !== null && <p className="page-note">{message}</p>}
      {problem !== null && <ProblemBox problem={problem} />}
      {state === 'sign-in' && begun?.since === server.since && (
        <p className="page-note">
          Finish signing in in the new tab. Nothing opened?{' '}
          <a href={begun.url} target="_blank" rel="noopener noreferrer">
            Open the sign-in page<span className="unseen"> of {name}</span>
          </a>
        </p>
      )}
      <div className="mcp-rule">
        <span>All its tools</span>
        <ApprovalSelect
          label={`Rule for all tools of ${name}`}
          value={toolRulesIn(editing.tree)[serverPattern(name)] ?? null}
          otherwise="No rule: asks first"
          onChange={value => editing.change(rulePatch(serverPattern(name), value)).catch(reportError)}
        />
      </div>
      {tools.length > 0 && (
        <details className="fold">
          <summary>
            Tools<span className="unseen"> of {name}</span>
          </summary>
          <ul className="mcp-tools">
            {tools.map(tool => (
              <li key={tool.name}>
                <code>{tool.name}</code> <span className="faint">{approvalWords(tool.approval)}</span>
                <p className="page-note">{tool.description}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
      <McpOffers server={server} />
      <McpLog name={name} since={server.since} />
      <div className="mcp-actions">
        {state === 'sign-in' && (
          <button type="button" className="button primary small" onClick={() => signIn().catch(reportError)}>
            Sign in<span className="unseen"> to {name}</span>
          </button>
        )}
        {server.signedIn && (
          <button type="button" className="button small" onClick={() => run(mcp.signOut(name)).catch(reportError)}>
            Sign out<span className="unseen"> of {name}</span>
          </button>
        )}
        <button
          type="button"
          className="button small"
          aria-disabled={isBusy}
          onClick={() => !isBusy && run(mcp.restart(name)).catch(reportError)}
        >
          {isBusy ? 'Restarting …' : 'Restart'}
          {of}
        </button>
        <button type="button" className="button small" onClick={onEdit}>
          Edit{of}
        </button>
        <button type="button" className="button small" onClick={() => setAsking(true)}>
          Remove{of}
        </button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Remove “${name}”?`}
          text="It is stopped and removed from turnwise.json, and its tools are gone. What it did in chats stays there."
          action="Remove"
          onConfirm={() => {
            editing.change({ mcp: { [name]: null } }).catch(reportError)
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}
