// The form of a what-if: other policy, model, budget or moment.
import type { ViewEntry } from '../../view/view.ts'
import type { WhatIf } from '../../wire/inspect-api.ts'
import { excerpt } from '../../words/words.ts'

/** What the person wants to change; an empty field keeps what was. */
export type WhatIfForm = { readonly policy: string; readonly model: string; readonly budget: string; readonly at: string }

export const AS_IT_WAS: WhatIfForm = { policy: '', model: '', budget: '', at: '' }

/** Why this cannot be asked; null if it can. */
export const whyNotBudget = ({ budget }: WhatIfForm): string | null =>
  budget === '' || /^[1-9]\d{0,8}$/.test(budget) ? null : 'A whole number of tokens, please.'

/** The question to the gateway; null if nothing is different or a field is invalid. */
export function whatIfOf(wanted: WhatIfForm, cause: number): WhatIf | null {
  const { policy, model, budget, at } = wanted
  if ([policy, model, budget, at].every(value => value === '') || whyNotBudget(wanted) !== null) return null
  return {
    at: at === '' ? cause : Number(at),
    ...(policy === '' ? {} : { policy }),
    ...(model === '' ? {} : { model }),
    ...(budget === '' ? {} : { budget: Number(budget) }),
  }
}

/** A person does not look through a longer list. */
const MOST = 60

/** Earlier points to look from: what a person said before the message that was answered, the newest first. */
export const earlierPoints = (
  entries: readonly ViewEntry[],
  cause: number,
): readonly { readonly value: string; readonly label: string }[] =>
  entries
    .flatMap(entry =>
      entry.kind === 'message' && entry.seq < cause
        ? [{ value: String(entry.seq), label: `${entry.seq}: ${excerpt(entry.text)}` }]
        : [],
    )
    .slice(-MOST)
    .reverse()
