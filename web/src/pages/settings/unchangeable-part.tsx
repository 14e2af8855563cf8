// The settings that only the file or the environment can change, each with the reason.
import { settingSource, whyFixed } from '../../words/setting-words.ts'
import { unchangeableSettings } from './setting-tree.ts'
import type { SettingsEditing } from './use-settings.ts'

/** What is shown and not edited: its value, where it comes from, and why it is fixed. */
export function UnchangeablePart({ editing }: { readonly editing: SettingsEditing }): React.ReactNode {
  const fixed = unchangeableSettings(editing.tree)
  if (fixed.length === 0) return null
  return (
    <section className="page-part" aria-labelledby="settings-fixed">
      <h2 id="settings-fixed">Changed outside this page</h2>
      <p className="page-note">
        These are in <code>turnwise.json</code> or in the environment.
      </p>
      <dl className="settings-fixed">
        {fixed.map(({ path, leaf }) => (
          <div key={path} data-setting={path}>
            <dt>
              <code>{path}</code>
              <span className="setting-source" data-source={settingSource(leaf)}>
                {settingSource(leaf)}
              </span>
            </dt>
            <dd>
              <code className="settings-value">{JSON.stringify(leaf.value)}</code>
              <span className="faint">{whyFixed(leaf)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
