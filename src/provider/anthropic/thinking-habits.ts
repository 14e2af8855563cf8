/** How each Claude model treats thinking, by its name. */

/**
 * Models up to 4.5 think within a budget. The next ones think when asked, and choose how much. Later ones think unless the
 * request says not to, and some always think.
 */
export type Habit = 'by-budget' | 'when-asked' | 'unless-told' | 'always'

/** How a Claude model thinks, by its name. A date after the first number is not a version. */
export function habitOf(model: string): Habit {
  const [, family = '', major = '', minor = '0'] = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  const version = Number(major) + Number(minor) / 100
  if (family === 'fable' || family === 'mythos') return 'always'
  if (major === '' || version < 4.06) return 'by-budget'
  if (version < 5) return 'when-asked'
  return version < 5.05 || family === 'haiku' ? 'unless-told' : 'always'
}
