// The settings of the page, saved in this browser.
import type { LocalStore } from '../wire/local-storage.ts'

/** What a person may choose about the page itself, in this browser; the first value of each is the default. */
export const CHOICES = {
  theme: ['system', 'light', 'dark'],
  size: ['medium', 'small', 'large', 'larger'],
  density: ['comfortable', 'compact'],
  /** What sends a message: Enter, or Enter with Ctrl or ⌘. */
  send: ['enter', 'modified'],
  /** Whether the newest words are kept in sight while a reply is written. */
  reading: ['follow', 'stay'],
  /** Whether a screen reader is given a reply's sentences while it is written, or only once it has ended. */
  aloud: ['along', 'end'],
} as const

export type SettingChoices = typeof CHOICES
export type SettingName = keyof SettingChoices
export type PageSettings = { readonly [Name in SettingName]: SettingChoices[Name][number] }

const NAMES = Object.keys(CHOICES) as SettingName[]

/** The settings of this browser. What is kept under a name but means nothing counts as not chosen. */
export type SettingsStore = {
  /** The same object until something changes. */
  readonly get: () => PageSettings
  readonly choose: <Name extends SettingName>(name: Name, value: PageSettings[Name]) => void
  /** Reads again what another tab may have changed. */
  readonly refresh: () => void
  /** Returns how to stop watching. */
  readonly watch: (watcher: () => void) => () => void
}

export function createSettings(localStore: LocalStore): SettingsStore {
  const watchers = new Set<() => void>()
  let settings = readSettings(localStore)
  const refresh = (): void => {
    const read = readSettings(localStore)
    if (NAMES.every(name => read[name] === settings[name])) return
    settings = read
    for (const watcher of watchers) watcher()
  }
  return {
    get: () => settings,
    choose: (name, value) => {
      localStore.write(name, value === CHOICES[name][0] ? null : value)
      settings = { ...settings, [name]: value }
      for (const watcher of watchers) watcher()
    },
    refresh,
    watch: watcher => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

function readSettings(localStore: LocalStore): PageSettings {
  const read = NAMES.map(name => {
    const kept = localStore.read(name)
    return [name, CHOICES[name].find(value => value === kept) ?? CHOICES[name][0]] as const
  })
  return Object.fromEntries(read) as PageSettings
}

/** The colors of the paper in `tokens.css`, for what the browser draws around the page. */
const PAPER = { light: '#fbfaf8', dark: '#1a1917' } as const

/** Shows on the page what was chosen. `public/theme.js` does the same before the first paint. */
export function applySettings({ theme, size, density }: PageSettings, { documentElement: root, head }: Document): void {
  const mark = (name: string, value: string, usual: string): void => {
    if (value === usual) delete root.dataset[name]
    else root.dataset[name] = value
  }
  mark('theme', theme, CHOICES.theme[0])
  mark('size', size, CHOICES.size[0])
  mark('density', density, CHOICES.density[0])
  for (const meta of head.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes('dark') ? 'dark' : 'light'
    meta.content = PAPER[theme === 'system' ? own : theme]
  }
}
