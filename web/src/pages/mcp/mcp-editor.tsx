// The form that adds or changes an MCP server.
import { useState } from 'react'
import type { McpSetting } from '../../../../src/model/settings/config.ts'
import { whyAt } from '../../form/complaints.ts'
import { TextArea } from '../../form/text-area.tsx'
import { TextField } from '../../form/text-field.tsx'
import { ChoiceField } from '../choice.tsx'
import type { SettingsEditing } from '../settings/use-settings.ts'
import { type McpForm, mcpComplaints, mcpFormOf, mcpPatch, NEW_SERVER } from './mcp-form.ts'

type McpEditorProps = {
  readonly editing: SettingsEditing
  /** Null is a new one. */
  readonly name: string | null
  readonly servers: Readonly<Record<string, McpSetting>>
  readonly onDone: () => void
}

const KINDS = [
  ['process', 'Program on this machine'],
  ['http', 'Web address'],
] as const

/** How a server is reached. */
export function McpEditor({ editing, name, servers, onDone }: McpEditorProps): React.ReactNode {
  const before = name === null ? undefined : servers[name]
  const [form, setForm] = useState<McpForm>(name === null || before === undefined ? NEW_SERVER : mcpFormOf(name, before))
  const [isTried, setTried] = useState(false)
  const complaints = mcpComplaints(form, name === null ? Object.keys(servers) : [])
  const field = (key: Exclude<keyof McpForm, 'kind'>) => ({
    value: form[key],
    error: isTried
      ? (complaints[key] ?? whyAt(editing.complaints, key === 'name' ? `mcp.${form.name}` : `mcp.${form.name}.${key}`))
      : undefined,
    onChange: (value: string) => setForm(now => ({ ...now, [key]: value })),
  })
  const save = async (): Promise<void> => {
    setTried(true)
    if (Object.keys(complaints).length === 0 && (await editing.change(mcpPatch(form, before)))) onDone()
  }
  return (
    <form
      className="form card mcp-editor"
      aria-label={name === null ? 'New server' : `Edit ${name}`}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        save().catch(reportError)
      }}
    >
      <h2>{name === null ? 'New server' : `Edit ${name}`}</h2>
      {name === null && (
        <TextField
          label="Name"
          isCode
          maxLength={32}
          placeholder="files"
          hint="Prefix for its tools, such as files__read."
          {...field('name')}
        />
      )}
      <ChoiceField label="Kind" options={KINDS} value={form.kind} onChange={kind => setForm(now => ({ ...now, kind }))} />
      {form.kind === 'process' ? (
        <>
          <TextField label="Command" isCode placeholder="npx" {...field('command')} />
          <TextArea label="Arguments" rows={2} hint="One per line." {...field('args')} />
          <TextArea
            label="Environment"
            rows={2}
            hint="NAME=value, one per line. To read a variable of this machine ($NAME), write it in turnwise.json."
            {...field('env')}
          />
        </>
      ) : (
        <>
          <TextField label="Address" isCode placeholder="https://example.com/mcp" {...field('url')} />
          <TextArea
            label="Headers"
            rows={2}
            hint="Name: value, one per line. Servers that ask you to sign in need none."
            {...field('headers')}
          />
        </>
      )}
      <div className="mcp-actions">
        <button type="submit" className="button primary" disabled={editing.isSaving}>
          {name === null ? 'Add server' : 'Save'}
        </button>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}
