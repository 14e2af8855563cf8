/** Makes the text of a fold from the original words: what happened, and what must not be lost. */
import { checkSummary, foldSource } from '../../context/fold/check-against-source.ts'
import { extractSentences } from '../../context/fold/extract.ts'
import { composeFold, listRoom, SUMMARY_SHARE, summaryIn, withinTokens } from '../../context/fold/fold-text.ts'
import { mustNotBeLost } from '../../context/fold/must-not-be-lost.ts'
import type { Steps } from '../../context/fold/steps.ts'
import type { Measure } from '../../context/text/tokens.ts'
import { type Breathe, letOthersGo } from './breathe.ts'
import type { FoldStretch } from './fold-view.ts'

/** The text of a fold, and the sentences of a model that were left out of it. */
export type FoldText = { readonly text: string; readonly left: readonly string[] }

/** Models write a little more than they are asked for. */
const LENIENT = 1.25

/** A fold of the most telling sentences, taken literally. */
export async function extractedFold(
  { stretch, later }: FoldStretch,
  tokens: number,
  measure: Measure,
  breathe: Breathe = letOthersGo,
): Promise<FoldText> {
  const most = Math.floor(tokens * SUMMARY_SHARE)
  const summary = await inSteps(extractSentences({ stretch, most, measure }), breathe)
  return { text: await withList(summary, { stretch, later }, tokens, measure, breathe), left: [] }
}

/** A fold of what a model answered, without the sentences that name what the stretch does not; empty if none is left. */
export async function answeredFold(
  answer: string,
  { stretch, later }: FoldStretch,
  tokens: number,
  measure: Measure,
  breathe: Breathe = letOthersGo,
): Promise<FoldText> {
  const source = await inSteps(foldSource(stretch), breathe)
  const { text, left } = checkSummary(summaryIn(answer), source)
  if (text.trim() === '') return { text: '', left }
  const summary = withinTokens(text.trim(), Math.floor(tokens * SUMMARY_SHARE * LENIENT), measure)
  return { text: await withList(summary, { stretch, later }, tokens, measure, breathe), left }
}

async function withList(
  summary: string,
  { stretch, later }: Pick<FoldStretch, 'stretch' | 'later'>,
  tokens: number,
  measure: Measure,
  breathe: Breathe,
): Promise<string> {
  const lines = await inSteps(mustNotBeLost({ stretch, later, most: listRoom(summary, tokens, measure), measure }), breathe)
  return composeFold({ summary, lines }, tokens, measure)
}

/** A piece of work that takes so long at a time is not noticed. */
const SLICE_MS = 3

/** Does work of many steps, and lets others go first after each of them. */
async function inSteps<Value>(steps: Steps<Value>, breathe: Breathe): Promise<Value> {
  for (let began = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() - began < SLICE_MS) continue
    await breathe()
    began = performance.now()
  }
}
