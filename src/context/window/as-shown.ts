/** Shows results and steps as the request before did: what is decided stays the same bytes. */
import type { WindowState } from '../../model/receipt.ts'
import { type Beat, type CallAnswer, type SaidBeat, stepsNote } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'
import { shortenAnswer, tokensOf } from './excerpt-message.ts'

/** Beats with their results as far as they are shown, and without the steps that are not; these come apart. */
export function asShown(
  beats: readonly Beat[],
  { results = [], hidden = [] }: Pick<WindowState, 'results' | 'hidden'>,
  measure: Measure,
): { readonly beats: readonly Beat[]; readonly hidden: readonly SaidBeat[] } {
  if (results.length === 0 && hidden.length === 0) return { beats, hidden: [] }
  const most = new Map(results.map(({ seq, tokens }) => [seq, tokens]))
  const away: SaidBeat[] = []
  let missing: number | undefined
  const shown = beats.flatMap((beat): readonly Beat[] => {
    if (beat.kind !== 'said') return [beat]
    const range = hidden.find(({ from, through }) => from <= beat.seq && beat.seq <= through)
    if (range !== undefined) {
      missing = range.steps
      away.push(beat)
      return []
    }
    const steps = missing
    missing = undefined
    return [withStepsNote(withResults(beat, most, measure), steps, measure)]
  })
  return { beats: shown, hidden: away }
}

/** A reply with results of at most so many tokens each, by the seqs of the results. */
export function withResults(beat: SaidBeat, most: ReadonlyMap<number, number>, measure: Measure): SaidBeat {
  const bounds = beat.answers.map(({ seq = 0 }) => most.get(seq))
  if (bounds.every(bound => bound === undefined)) return beat
  const name = bounds.join()
  const known = bounded.get(beat)
  if (known?.name === name && known.measure === measure) return known.shown
  const answers = beat.answers.map((answer, index): CallAnswer => {
    const bound = bounds[index]
    return bound === undefined ? answer : shortenAnswer(answer, bound, measure)
  })
  const weight = (some: readonly CallAnswer[]): number => some.reduce((sum, answer) => sum + tokensOf(answer, measure), 0)
  const shown = { ...beat, answers, tokens: beat.tokens - weight(beat.answers) + weight(answers) }
  bounded.set(beat, { name, measure, shown })
  return shown
}

/** Made once for each reply: its item and hash are then made once, too. */
const bounded = new WeakMap<SaidBeat, { readonly name: string; readonly measure: Measure; readonly shown: SaidBeat }>()

export function withStepsNote(beat: SaidBeat, steps: number | undefined, measure: Measure): SaidBeat {
  if (steps === undefined) return beat
  const text = stepsNote(steps)
  const known = noted.get(beat)
  if (known?.stepsNote === text) return known
  const shown = { ...beat, stepsNote: text, tokens: beat.tokens + measure.count(text) }
  noted.set(beat, shown)
  return shown
}

const noted = new WeakMap<SaidBeat, SaidBeat>()
