// The dialog with this browser's settings.
import type { RecallFrom } from '../../../../src/model/recall.ts'
import { version } from '../../../package.json'
import { FileButton } from '../../pages/file-button.tsx'
import { APPLE } from '../../parts/platform.ts'
import { CHOICES, type PageSettings, type SettingName } from '../../store/settings.ts'
import { useActions, useSetting, useStore, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { RECALL_CHOICES } from '../../words/memory-words.ts'
import { Dialog } from './dialog.tsx'

type Words = { readonly [Name in SettingName]: { readonly title: string } & Readonly<Record<PageSettings[Name], string>> }

const WORDS: Words = {
  theme: { title: 'Theme', system: 'As the system', light: 'Light', dark: 'Dark' },
  size: { title: 'Text size', small: 'Small', medium: 'Medium', large: 'Large', larger: 'Larger' },
  density: { title: 'Density', comfortable: 'Comfortable', compact: 'Compact' },
  send: { title: 'Send with', enter: 'Enter', modified: APPLE ? '⌘ Enter' : 'Ctrl Enter' },
  reading: { title: 'Auto-scroll', follow: 'Follow the reply', stay: 'Stay where I read' },
  aloud: { title: 'A screen reader hears a reply', along: 'Sentence by sentence', end: 'When it has ended' },
}

/** In the order they are shown; sizes from small to large. */
const SHOWN: { readonly [Name in SettingName]: readonly PageSettings[Name][] } = {
  ...CHOICES,
  size: ['small', 'medium', 'large', 'larger'],
}

/** How the page looks and behaves in this browser. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }): React.ReactNode {
  return (
    <Dialog title="Preferences" className="preferences" onClose={onClose}>
      <p>
        Saved in this browser. Changes apply immediately.{' '}
        <a className="link" href={hashOf({ page: 'settings', key: null })} onClick={onClose}>
          Settings of the workspace
        </a>
      </p>
      {(Object.keys(CHOICES) as SettingName[]).map(name => (
        <Setting key={name} name={name} />
      ))}
      <RecallSetting onLeave={onClose} />
      <Import onFile={onClose} />
      <p className="about">Turnwise {version}. No telemetry: this page talks only to your gateway.</p>
    </Dialog>
  )
}

/** Where chats may recall from; unlike the others, for the whole workspace. */
function RecallSetting({ onLeave }: { readonly onLeave: () => void }): React.ReactNode {
  const { setRecallFrom } = useWorkspaceApi()
  const { learnNames, undo } = useActions()
  const from = useStore(state => state.recall.from)
  const choose = async (wanted: RecallFrom): Promise<void> => {
    const done = await setRecallFrom(wanted)
    if (!done.ok) undo.offer({ text: `${done.problem.title}. ${done.problem.detail}` })
    await learnNames()
  }
  return (
    <fieldset className="setting">
      <legend>
        Recall earlier messages from ·{' '}
        <a className="link" href={hashOf({ page: 'memory', key: null })} onClick={onLeave}>
          Memory
        </a>
      </legend>
      <div className="segments">
        {RECALL_CHOICES.map(([value, words]) => (
          <label key={value} className="segment">
            <input
              type="radio"
              name="setting-recall"
              className="unseen"
              checked={from === value}
              onChange={() => choose(value).catch(reportError)}
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Conversations of another program, or of another Turnwise. */
function Import({ onFile }: { readonly onFile: () => void }): React.ReactNode {
  const { bring } = useActions()
  return (
    <fieldset className="setting">
      <legend>Import chats</legend>
      <FileButton
        label="Import a file"
        accept=".json,.jsonl,.zip"
        onFile={file => {
          onFile()
          bring(file).catch(reportError)
        }}
      />
    </fieldset>
  )
}

function Setting<Name extends SettingName>({ name }: { readonly name: Name }): React.ReactNode {
  const { settings } = useActions()
  const chosen = useSetting(name)
  const words: Readonly<Record<string, string>> = WORDS[name]
  return (
    <fieldset className="setting">
      <legend>{words.title}</legend>
      <div className="segments">
        {SHOWN[name].map(value => (
          <label key={value} className="segment">
            <input
              type="radio"
              name={`setting-${name}`}
              className="unseen"
              checked={chosen === value}
              onChange={() => settings.choose(name, value)}
            />
            {words[value]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
