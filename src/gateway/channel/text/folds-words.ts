/** The answers to /folds and /compact: the summaries of a session, one of them in its words, or a new one. */
import type { Engine, Fold } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { countingFolds, foldSentence, wordsOfFold } from '../../cli/output/fold-words.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

/** The list of all that count, or the words of one by its number in the list. */
export async function foldsWords(engine: Engine, session: SessionId, number: string): Promise<Result<RichText, Fault>> {
  const all = await engine.folds(session)
  if (!all.ok) return all
  const counting = countingFolds(all.value)
  if (counting.length === 0) return ok(plain('Nothing is summarized here yet. /compact does it now.'))
  const listed = plain(
    `${counting.map((fold, index) => `${index + 1}. ${foldSentence(fold)}`).join('\n')}\n\n/folds and a number reads one.`,
  )
  if (number === '') return ok(listed)
  const fold = /^\d+$/.test(number) ? counting[Number(number) - 1] : undefined
  if (fold === undefined) return ok(joined(plain('There is no summary of that number.\n\n'), listed))
  return ok(joined(styled(foldSentence(fold), { type: 'bold' }), plain(`\n\n${wordsOfFold(fold).join('\n')}`)))
}

export const foldMadeWords = (fold: Fold): string => `${foldSentence(fold)}. /folds reads it.`
