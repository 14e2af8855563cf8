// The log of one MCP server.
import { useState } from 'react'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { Read } from '../read.tsx'

/** What a server wrote, read when it is opened. */
export function McpLog({ name, since }: { readonly name: string; readonly since: string }): React.ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="fold" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        Log<span className="unseen"> of {name}</span>
      </summary>
      {isOpen && <Lines name={name} since={since} />}
    </details>
  )
}

function Lines({ name, since }: { readonly name: string; readonly since: string }): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const loaded = useLoaded(`mcp log ${name} ${since}`, () => mcp.log(name))
  return (
    <>
      <Read from={loaded} what="log">
        {({ items }) =>
          items.length === 0 ? (
            <p className="page-note">Nothing was written.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll can be reached by keyboard
            <pre className="mcp-log" tabIndex={0} role="log" aria-label={`Log of ${name}`}>
              {items.map(({ at, text }) => `${at.slice(11, 19)} ${text}`).join('\n')}
            </pre>
          )
        }
      </Read>
      <button type="button" className="text-button" onClick={loaded.reload}>
        Refresh<span className="unseen"> the log of {name}</span>
      </button>
    </>
  )
}
