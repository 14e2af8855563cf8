// The chats whose prices are compared: with questions about earlier messages, made up from seeds, and recorded.
import { type Conversation, generated, recordings, type Shape, TALK, WORK } from '../conversations.ts'
import { madeConversations } from '../recall/conversations/made.ts'
import { lookingBack } from './looking-back.ts'
import type { Evidence } from './priced.ts'

export type AskedChat = { readonly conversation: Conversation; readonly evidence: Evidence }
export type PriceSet = { readonly name: string; readonly asked: readonly AskedChat[]; readonly budgets: readonly number[] }

/** The chats of the recall benchmark, with their questions asked along the way. */
export const askedAlong = (quick: boolean): readonly AskedChat[] =>
  madeConversations()
    .slice(0, quick ? 1 : undefined)
    .map(conversation => lookingBack(conversation))

/** All sets with the budgets they are measured at; `given` is a file of recordings. */
export function priceSets(quick: boolean, given: string | undefined): readonly PriceSet[] {
  const made = (shape: Shape, tokens: number, seeds: readonly number[], budgets: readonly number[]): PriceSet => ({
    name: `${shape.name}, ${tokens.toLocaleString('en')} tokens`,
    asked: seeds.map(seed => ({ conversation: generated({ shape, seed, until: { tokens } }), evidence: new Map() })),
    budgets,
  })
  const back = {
    name: 'questions that look back',
    asked: askedAlong(quick),
    budgets: quick ? [2000] : [1000, 4000, 8000, 16_000],
  }
  if (quick) return [back, made(TALK, 12_000, [1], [4000])]
  const recorded = recordings(given)
  const joined = (tokens: number): readonly PriceSet[] =>
    recorded === null
      ? []
      : [
          {
            name: `recorded, joined to ${tokens.toLocaleString('en')} tokens`,
            asked: recorded.joined(tokens).map(conversation => ({ conversation, evidence: new Map() })),
            budgets: [4000, 8000, 16_000],
          },
        ]
  return [
    back,
    made(TALK, 20_000, [1, 2, 3, 4, 5], [4000, 8000, 16_000]),
    made(WORK, 20_000, [1, 2, 3, 4, 5], [4000, 8000, 16_000]),
    ...joined(20_000),
    made(TALK, 130_000, [1], [8000]),
    made(WORK, 130_000, [1, 2], [8000]),
  ]
}
