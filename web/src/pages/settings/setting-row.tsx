// The frame of one setting: its control, where its value comes from, and the way back to the default.

import { whyAt } from '../../form/complaints.ts'
import type { Bound } from '../../form/field.tsx'
import { FormField } from '../../form/field.tsx'
import { settingSource, whyFixed } from '../../words/setting-words.ts'
import { patchAt } from './setting-tree.ts'
import type { SettingsEditing } from './use-settings.ts'

/** What every setting of the page has. */
export type SettingProps = {
  readonly editing: SettingsEditing
  /** Its place in turnwise.json, as in `limits.steps`. */
  readonly path: string
  readonly label: string
  readonly hint?: React.ReactNode
}

/** What its control is drawn with. */
export type SettingControl = Bound & {
  readonly value: unknown
  readonly isFixed: boolean
  readonly set: (value: unknown) => void
}

/** A setting: label, control, source. A gateway without it shows nothing. */
export function SettingRow({
  editing,
  path,
  label,
  hint,
  children,
}: SettingProps & { readonly children: (control: SettingControl) => React.ReactNode }): React.ReactNode {
  const leaf = editing.at(path)
  if (leaf === null) return null
  const fixed = whyFixed(leaf)
  const set = (value: unknown): void => {
    editing.change(patchAt(path, value)).catch(reportError)
  }
  return (
    <div className="setting-row" data-setting={path}>
      <FormField
        label={label}
        hint={fixed === undefined ? hint : fixed}
        error={whyAt(editing.complaints, path)}
        aside={
          <SettingOrigin label={label} source={settingSource(leaf)}>
            {leaf.editable && leaf.source === 'file' && <ResetButton label={label} onReset={() => set(null)} />}
          </SettingOrigin>
        }
      >
        {bound => children({ ...bound, value: leaf.value, isFixed: fixed !== undefined, set })}
      </FormField>
    </div>
  )
}

type OriginProps = { readonly label: string; readonly source: string; readonly children?: React.ReactNode }

function SettingOrigin({ source, children }: OriginProps): React.ReactNode {
  return (
    <span className="setting-origin">
      {children}
      <span className="setting-source" data-source={source}>
        {source}
      </span>
    </span>
  )
}

function ResetButton({ label, onReset }: { readonly label: string; readonly onReset: () => void }): React.ReactNode {
  return (
    <button type="button" className="text-button setting-reset" onClick={onReset}>
      Reset to default<span className="unseen">: {label}</span>
    </button>
  )
}
