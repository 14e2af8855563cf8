// The resources and prompts of one MCP server, read when they are opened.
import { useState } from 'react'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import type { McpServerRow } from '../../wire/mcp-api.ts'
import { argumentWords } from '../../words/mcp-words.ts'
import { Read } from '../read.tsx'

/** What a server has beside its tools; nothing is shown where it has nothing. */
export function McpOffers({ server: { name, since, resources, prompts } }: { readonly server: McpServerRow }): React.ReactNode {
  return (
    <>
      {resources > 0 && (
        <FoldedOffers title="Resources" of={name}>
          <ResourceRows name={name} since={since} />
        </FoldedOffers>
      )}
      {prompts > 0 && (
        <FoldedOffers title="Prompts" of={name}>
          <PromptRows name={name} since={since} />
        </FoldedOffers>
      )}
    </>
  )
}

type FoldedOffersProps = { readonly title: string; readonly of: string; readonly children: React.ReactNode }

function FoldedOffers({ title, of, children }: FoldedOffersProps): React.ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="fold" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {title}
        <span className="unseen"> of {of}</span>
      </summary>
      {isOpen && children}
    </details>
  )
}

type RowsProps = { readonly name: string; readonly since: string }

function ResourceRows({ name, since }: RowsProps): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const loaded = useLoaded(`mcp resources ${name} ${since}`, () => mcp.resources(name))
  return (
    <Read from={loaded} what="resources">
      {({ items }) => (
        <ul className="mcp-tools">
          {items.map(({ uri, name: title, description, mediaType }) => (
            <li key={uri}>
              <strong>{title}</strong> <code className="mcp-where">{uri}</code>
              {mediaType !== undefined && <span className="faint"> {mediaType}</span>}
              {description !== undefined && <p className="page-note">{description}</p>}
            </li>
          ))}
        </ul>
      )}
    </Read>
  )
}

function PromptRows({ name, since }: RowsProps): React.ReactNode {
  const { mcp } = useWorkspaceApi()
  const loaded = useLoaded(`mcp prompts ${name} ${since}`, () => mcp.prompts(name))
  return (
    <Read from={loaded} what="prompts">
      {({ items }) => (
        <ul className="mcp-tools">
          {items.map(prompt => (
            <li key={prompt.name}>
              <code>
                /{name}:{prompt.name}
              </code>{' '}
              <span className="faint">{argumentWords(prompt.arguments)}</span>
              {prompt.description !== undefined && <p className="page-note">{prompt.description}</p>}
            </li>
          ))}
        </ul>
      )}
    </Read>
  )
}
