// Chooses light, dark or the system's theme.
import { Icon } from '../parts/icon.tsx'
import { CHOICES, type PageSettings } from '../store/settings.ts'
import { useActions, useSetting } from '../store/use-store.ts'

const NAMES: Record<PageSettings['theme'], string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** Light, dark, or as the system says. */
export function ThemeChoice(): React.ReactNode {
  const { settings } = useActions()
  const theme = useSetting('theme')
  return (
    <fieldset className="themes">
      <legend className="unseen">Theme</legend>
      {CHOICES.theme.map(name => (
        <label key={name} className="theme" title={NAMES[name]}>
          <input
            type="radio"
            name="theme"
            className="unseen"
            checked={theme === name}
            onChange={() => settings.choose('theme', name)}
          />
          <Icon name={name} />
          <span className="unseen">{NAMES[name]}</span>
        </label>
      ))}
    </fieldset>
  )
}
