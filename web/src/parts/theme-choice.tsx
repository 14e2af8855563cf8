import { useState } from 'react'
import type { Keep } from '../keep.ts'
import { applyTheme, readTheme, THEMES, type Theme } from '../theme.ts'
import { Icon } from './icon.tsx'

const NAMES: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** Light, dark, or as the system says. */
export function ThemeChoice({ keep }: { readonly keep: Keep }): React.ReactNode {
  const [theme, setTheme] = useState(() => readTheme(keep))
  const choose = (wanted: Theme): void => {
    applyTheme(keep, wanted)
    setTheme(wanted)
  }
  return (
    <fieldset className="themes">
      <legend className="unseen">Theme</legend>
      {THEMES.map(name => (
        <label key={name} className="theme" title={NAMES[name]}>
          <input type="radio" name="theme" className="unseen" checked={theme === name} onChange={() => choose(name)} />
          <Icon name={name} />
          <span className="unseen">{NAMES[name]}</span>
        </label>
      ))}
    </fieldset>
  )
}
