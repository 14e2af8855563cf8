// Summarizes earlier messages, and edits, redoes and removes summaries.
import type { ShownFold } from '../view/folds.ts'
import type { ApiClient, SummaryWish } from '../wire/client.ts'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'
import { FOLD_REMOVED, SUMMARIZED } from '../words/fold-words.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'
import type { Undo } from './undo.ts'

/** What a person does about summaries. Each is an event of its own; what was said stays as it is. */
export type FoldActions = {
  /** Summarizes now: of the session in the middle, or of another one; without a stretch, everything but the last exchange. */
  readonly summarize: (wish?: SummaryWish, session?: string) => Promise<void>
  /** True once it was saved. */
  readonly editFold: (seq: number, text: string) => Promise<boolean>
  readonly redoFold: (seq: number, wish: Pick<SummaryWish, 'by' | 'model'>) => Promise<void>
  /** In the session in the middle, or in another one; `onUndone` is called once it is back. */
  readonly removeFold: (fold: Pick<ShownFold, 'seq' | 'text'>, session?: string, onUndone?: () => void) => Promise<boolean>
}

export type FoldActionsNeeds = {
  readonly cell: Cell<State>
  readonly client: Pick<ApiClient, 'fold' | 'editFold' | 'redoFold' | 'removeFold'>
  readonly undo: Undo
  readonly onProblem: (problem: ApiProblem) => void
}

export function createFoldActions({ cell, client, undo, onProblem }: FoldActionsNeeds): FoldActions {
  /** The outcome where it went well; trouble is shown. */
  const heard = <Value>(outcome: ApiResult<Value>): Value | null => {
    if (outcome.ok) return outcome.value
    onProblem(outcome.problem)
    cell.set({ problem: outcome.problem })
    return null
  }
  const here = (): string | null => cell.get().session

  return {
    summarize: async (wish = {}, session = here() ?? undefined) => {
      if (session === undefined) return
      const made = heard(await client.fold(session, wish))
      if (made === null) return
      if (made.turn === undefined) undo.offer({ text: SUMMARIZED })
      else cell.set({ announcement: 'Summarizing earlier messages.' })
      if (made.turn !== undefined && session !== here()) undo.offer({ text: 'Summarizing its earlier messages …' })
    },
    editFold: async (seq, text) => {
      const session = here()
      return session !== null && heard(await client.editFold(session, seq, text)) !== null
    },
    redoFold: async (seq, wish) => {
      const session = here()
      if (session !== null) heard(await client.redoFold(session, seq, wish))
    },
    removeFold: async ({ seq, text }, session = here() ?? undefined, onUndone = () => {}) => {
      if (session === undefined) return false
      const removed = await client.removeFold(session, seq)
      if (!removed.ok) {
        heard(removed)
        return false
      }
      undo.offer({
        text: FOLD_REMOVED,
        undo: () => {
          client
            .editFold(session, seq, text)
            .then(outcome => {
              if (heard(outcome) !== null) onUndone()
            })
            .catch(reportError)
        },
      })
      return true
    },
  }
}
