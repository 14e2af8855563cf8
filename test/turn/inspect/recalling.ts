/** A conversation under a small budget, in which later messages need what only the first ones said. */
import { createEngine, type Engine, type Log, memoryLog, presets, weigh } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { ask, openSession } from '../../support/engine.ts'

const BUDGET = { tokens: 700, reserve: 100 } as const

/** Recalls as much as it has saved. */
export const SAVING: Policy = { ...presets.steady, name: 'saving', budget: BUDGET }
/** The same without summaries, which come a little sooner or later in the background. */
export const UNFOLDED: Policy = { ...SAVING, name: 'unfolded', fold: null }
/** Recalls up to a number of tokens. */
export const GENEROUS: Policy = { ...SAVING, name: 'generous', recall: { tokens: 250, from: 'session' } }
/** The same window without recall. */
export const FORGETFUL: Policy = { ...SAVING, name: 'forgetful', recall: null }

export const FACT = 'My boat is called Marlinspike and lies in berth K42 of the harbor at Cascais.'
export const QUESTION = 'Do you remember in which berth the boat Marlinspike lies?'

const TALK = [
  ...[FACT, 'The garden needs water twice a week, says my neighbor.', 'I bought tomatoes and basil at the market.'],
  ...['My sister plays the cello in an orchestra.', 'We watched a film about mountains.', 'Rain is expected on Thursday.'],
  ...['The kettle is broken again.', 'I read forty pages of that novel.', 'Tell me something about bridges.'],
  ...Array.from(
    { length: 24 },
    (_, index) => `A few words about clouds, hills or rivers, as you like, part ${'abcdefghijklmnopqrstuvwx'[index]}.`,
  ),
  ...[QUESTION, 'And now something about trains, please.', 'Is K42 in Cascais a good berth?'],
]

const FILLER =
  'Here are some thoughts on that, at a length that fills a small window rather soon, so that older words have to go. '

export type Recalling = { readonly engine: Engine; readonly log: Log; readonly id: SessionId }

/** The conversation, said and answered under a policy. */
export async function recalling(
  policy: Policy,
  { log = memoryLog({ clock: Date.now, weigh }), ...options }: { readonly log?: Log; readonly vectorsFile?: string | null } = {},
): Promise<Recalling> {
  const engine = reopened(log, policy, options)
  const id = await openSession(engine)
  for (const text of TALK) await ask(engine, id, text)
  return { engine, log, id }
}

/** Another engine on the same log. */
export const reopened = (
  log: Log,
  policy: Policy,
  { vectorsFile = null }: { readonly vectorsFile?: string | null } = {},
): Engine =>
  createEngine({
    ...{ log, vectorsFile, policies: [SAVING, UNFOLDED, GENEROUS, FORGETFUL], policy: policy.name },
    limits: { historyMs: 20_000 },
    provider: scriptedProvider(TALK.map(text => says(`${FILLER.repeat(2)}That had ${text.length} letters.`))),
  })
