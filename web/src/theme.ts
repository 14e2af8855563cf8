import type { Keep } from './keep.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const readTheme = (keep: Keep): Theme => THEMES.find(theme => theme === keep.read('theme')) ?? 'system'

/** `public/theme.js` does the same before the first paint. */
export function applyTheme(keep: Keep, theme: Theme): void {
  keep.write('theme', theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
