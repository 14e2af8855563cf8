// The page with the MCP servers.
import { useEffect, useState } from 'react'
import type { McpSetting } from '../../../../src/model/settings/config.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { McpEditor } from './mcp-editor.tsx'
import { McpServerCard } from './mcp-server.tsx'

/** How long a server that is starting, or that a person signs in to, is left alone before it is looked at again. */
const LOOK_AGAIN_MS = 1000

/** Programs and services that bring tools, resources and prompts. */
export function McpPage(): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const loaded = useLoaded('mcp', mcp.servers)
  const { value, reload } = loaded
  const settings = useSettings(reload)
  const [edited, setEdited] = useState<{ readonly name: string | null } | null>(null)
  const isWaiting = value?.items.some(({ state }) => state === 'starting' || state === 'sign-in') === true
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer that still waits asks once more
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(reload, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [value, isWaiting])
  return (
    <>
      <PageHead intro="MCP servers bring tools, resources and prompts of other programs. Changes apply immediately.">
        <button type="button" className="button primary" onClick={() => setEdited({ name: null })}>
          Add server
        </button>
      </PageHead>
      <Read from={settings.loaded} what="settings">
        {tree => {
          const editing = settings.editingOf(tree)
          const servers = (editing.at('mcp')?.value ?? {}) as Readonly<Record<string, McpSetting>>
          return (
            <>
              {editing.problem !== null && <ProblemBox problem={editing.problem} />}
              {edited !== null && (
                <McpEditor
                  key={edited.name ?? ''}
                  editing={editing}
                  name={edited.name}
                  servers={servers}
                  onDone={() => setEdited(null)}
                />
              )}
              <Read from={loaded} what="servers">
                {({ items }) =>
                  items.length === 0 ? (
                    <p className="empty">There are no servers yet. Add one by its command or its address.</p>
                  ) : (
                    <ul className="cards">
                      {items.map(server => (
                        <McpServerCard
                          key={server.name}
                          server={server}
                          editing={editing}
                          onChange={reload}
                          onEdit={() => setEdited({ name: server.name })}
                        />
                      ))}
                    </ul>
                  )
                }
              </Read>
            </>
          )
        }}
      </Read>
    </>
  )
}
