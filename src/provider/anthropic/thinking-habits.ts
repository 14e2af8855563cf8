/** How each Claude model treats thinking, by its name. */

/**
 * Models up to 4.5 think within a budget. The next ones think when asked, and choose how much. Later ones think unless the
 * request says not to, and some always think.
 */
export type Habit = 'by-budget' | 'when-asked' | 'unless-told' | 'always'

/** How a Claude model thinks, by its name. A date after the first number is not a version. */
export function habitOf(model: string): Habit {
  const { family, version } = numbersOf(model)
  if (family === 'fable' || family === 'mythos') return 'always'
  if (version < 4.06) return 'by-budget'
  if (version < 5) return 'when-asked'
  return version < 5.05 || family === 'haiku' ? 'unless-told' : 'always'
}

/** The version in a name, as 4.06 for 4.6; 0 for names of the old form, such as `claude-3-5-sonnet`. */
export const versionOf = (model: string): number => numbersOf(model).version

function numbersOf(model: string): { readonly family: string; readonly version: number } {
  const [, family = '', major = '', minor = '0'] = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return { family, version: Number(major) + Number(minor) / 100 }
}
