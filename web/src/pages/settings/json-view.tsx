// The settings as JSON: the same values, to edit as a text.
import { useState } from 'react'
import { ProblemBox } from '../../form/problem-box.tsx'
import { TextArea } from '../../form/text-area.tsx'
import type { SettingPatch } from '../../wire/settings-api.ts'
import { jsonOf, readJsonDraft } from './json-draft.ts'
import { editableValues } from './setting-tree.ts'
import type { SettingsEditing } from './use-settings.ts'

/** The part of turnwise.json that the page may change. Only the difference is sent. */
export function JsonView({ editing }: { readonly editing: SettingsEditing }): React.ReactNode {
  const shown = editableValues(editing.tree)
  const before = jsonOf(shown)
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? before
  const read = readJsonDraft(shown, text)
  const isChanged = text !== before
  const save = async (): Promise<void> => {
    if (!read.ok) return
    if (await editing.change(read.patch)) setDraft(null)
  }
  return (
    <form
      className="form settings-json"
      onSubmit={event => {
        event.preventDefault()
        save().catch(reportError)
      }}
    >
      <TextArea
        label="Settings as JSON"
        value={text}
        rows={20}
        error={isChanged && !read.ok ? read.why : undefined}
        hint="What the page may change, with its current values. Comments in the file are kept. Secrets are shown as (hidden) and stay as they are."
        onChange={setDraft}
      />
      {isChanged && read.ok && <Difference patch={read.patch} />}
      <div className="save-bar" data-shown={isChanged || editing.isSaved}>
        {editing.problem !== null && <ProblemBox problem={editing.problem} />}
        <div className="save-row">
          <span className="save-words" role="status">
            {editing.isSaving ? 'Saving …' : isChanged ? 'Unsaved changes' : editing.isSaved ? 'Saved' : ''}
          </span>
          {isChanged && (
            <>
              <button type="button" className="button" onClick={() => setDraft(null)}>
                Discard
              </button>
              <button type="submit" className="button primary" disabled={editing.isSaving || !read.ok}>
                Save
              </button>
            </>
          )}
        </div>
      </div>
    </form>
  )
}

/** What saving sends: only what differs. */
function Difference({ patch }: { readonly patch: SettingPatch }): React.ReactNode {
  const isEmpty = Object.keys(patch).length === 0
  return (
    <section className="settings-difference" aria-label="What will be sent">
      <h2>What will be sent</h2>
      {isEmpty ? (
        <p className="page-note">Nothing: the values are the same.</p>
      ) : (
        <>
          <p className="page-note">Only what differs, as a JSON merge patch. Null goes back to the default.</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
          <pre tabIndex={0}>{JSON.stringify(patch, null, 2)}</pre>
        </>
      )}
    </section>
  )
}
