// What sampling is called on the page.
import { EFFORTS, type Effort } from '../../../src/model/sampling.ts'

const EFFORT_WORDS: Readonly<Record<Effort, string>> = {
  none: 'Off',
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
}

/** The efforts to choose from, after "default". */
export const effortOptions = (standard: string): readonly { readonly value: string; readonly label: string }[] => [
  { value: '', label: standard },
  ...EFFORTS.map(value => ({ value, label: EFFORT_WORDS[value] })),
]
