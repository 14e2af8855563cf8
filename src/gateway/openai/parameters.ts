/** Refuses parameters of OpenAI's API that would otherwise be ignored without a word. */
import type { z } from 'zod'

type Refused = { readonly name: string; readonly isAsked: (value: unknown) => boolean; readonly why: string }

const isThere = (value: unknown): boolean => value !== undefined && value !== null
const isFilled = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null && Object.keys(value).length > 0
const typeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined

/** Parameters that a client must not believe to have an effect. All other unknown parameters are ignored. */
const REFUSED: readonly Refused[] = [
  { name: 'n', isAsked: value => isThere(value) && value !== 1, why: 'only one choice is given' },
  { name: 'logprobs', isAsked: value => value === true, why: 'there are none here' },
  { name: 'top_logprobs', isAsked: value => isThere(value) && value !== 0, why: 'there are none here' },
  { name: 'logit_bias', isAsked: isFilled, why: 'cannot be passed on' },
  {
    name: 'response_format',
    isAsked: value => isThere(value) && typeOf(value) !== 'text',
    why: 'only "text" can be promised; ask for JSON in the messages, and check it',
  },
  {
    name: 'modalities',
    isAsked: value => isThere(value) && !(Array.isArray(value) && value.every(each => each === 'text')),
    why: 'only "text" is spoken here',
  },
  { name: 'audio', isAsked: isThere, why: 'only text is spoken here' },
  { name: 'web_search_options', isAsked: isThere, why: 'nothing is searched for here' },
  { name: 'functions', isAsked: isFilled, why: 'give them as "tools"' },
  { name: 'function_call', isAsked: value => isThere(value) && value !== 'auto' && value !== 'none', why: 'use "tool_choice"' },
]

/** Complains of each parameter that would be ignored where that would deceive. */
export function refusals(body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const { name, isAsked, why } of REFUSED)
    if (isAsked(body[name])) context.addIssue({ code: 'custom', path: [name], message: why })
}
