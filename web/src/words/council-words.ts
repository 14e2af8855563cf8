// Words for councils and their syntheses.
import type { Attribution, Origin, Sentence } from '../../../src/context/synthesis/attribution.ts'
import type { Advisor, SynthesisMode } from '../../../src/model/settings/council.ts'

const MODES: Readonly<Record<SynthesisMode, string>> = { brief: 'Brief', positions: 'Positions', memo: 'Memo' }

/** What each kind of synthesis is called on its button and above it. */
export const councilModeWords = (mode: SynthesisMode): string => MODES[mode] ?? mode

/** What a reader should know of a synthesis before believing it. */
export function sourcesWords({ sentences, unattributed, unknownAdvisor, notLiteral }: Attribution['counts']): string {
  if (sentences === 0) return 'Nothing to check'
  const doubts = [
    [unattributed, 'without a source'],
    [unknownAdvisor, 'resting on somebody who did not answer'],
    [notLiteral, 'with a quote that is not literal'],
  ] as const
  const found = doubts.filter(([many]) => many > 0)
  if (found.length === 0) return `${of(sentences)} ${sentences === 1 ? 'names' : 'name'} who said it`
  return found.map(([many, what]) => `${of(many)} ${what}`).join(', ')
}

const of = (many: number): string => `${many} ${many === 1 ? 'sentence' : 'sentences'}`

/** What is wrong with a whole sentence; null if nothing is, or if its quotes already show it. */
export function doubtWords({ trouble, unknown = [] }: Sentence): string | null {
  if (trouble === 'unattributed') return 'No advisor is named for this'
  return unknown.length === 0 ? null : `${unknown.join(', ')} did not answer in this round`
}

/** The result of checking a quote; null if its words are in the answer exactly. */
export const quoteWords = ({ quote }: Origin): string | null =>
  quote === undefined || quote.isLiteral ? null : 'not literal: these words are not in the answer'

type Answered = { readonly answered: number; readonly of: number; readonly isLatest: boolean }

/** How far a round has come; names the round if a message went to one advisor since. */
export function answeredWords({ answered, of, isLatest }: Answered): string {
  if (!isLatest) return `Last round: ${answered === of ? `all ${of}` : `${answered} of ${of}`} answered`
  return answered === of ? `All ${of} answered` : `${answered} of ${of} answered`
}

const LONGEST_ROLE = 90

/** Who an advisor is, in one line: its group, or else how its description begins. */
export function roleWords({ group, description }: Pick<Advisor, 'group' | 'description'>): string {
  if (group !== undefined && group !== '') return group
  const [first = ''] = description.trim().split(/(?<=[.!?])\s|\n/)
  return first.length > LONGEST_ROLE ? `${first.slice(0, LONGEST_ROLE).trimEnd()} …` : first
}
