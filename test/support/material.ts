import type { Measure } from '../../src/context/text/tokens.ts'
import { count, weigh } from '../../src/context/text/tokens.ts'
import type { Damaged, Event, Fact, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Material, Plan } from '../../src/model/plan.ts'
import { hash } from '../../src/turn/step/measure.ts'

export const measure: Measure = { count, hash }

/** A row that can no longer be read, in a list of facts. */
export type Unreadable = { readonly type: 'damaged'; readonly why: string }

const SESSION = 'ses_1' as SessionId
const AT = '2026-01-01T12:00:00.000Z'

/** Facts as a log would give them back. */
export const recorded = (facts: readonly (Fact | Unreadable)[]): readonly Recorded[] =>
  facts.map((fact, index) =>
    fact.type === 'damaged'
      ? ({ ...fact, session: SESSION, seq: index + 1, at: AT, tokens: 0, messages: 1 } satisfies Damaged)
      : ({ at: AT, ...fact, session: SESSION, seq: index + 1, tokens: weigh(fact).tokens } as Event),
  )

/** Everything for a request whose turn is the last one that was started; anything else can be given. */
export function materialOf(facts: readonly (Fact | Unreadable)[], given: Partial<Material> = {}): Material {
  const events = recorded(facts)
  const started = events.findLast(
    (event): event is Extract<Event, { type: 'turn.started' }> =>
      event.type === 'turn.started' && (given.voice === undefined || event.voice === given.voice),
  )
  const folds = events.filter((event): event is Extract<Event, { type: 'history.folded' }> => event.type === 'history.folded')
  return {
    session: SESSION,
    voice: 'assistant',
    ...(folds.length === 0 ? {} : { folds }),
    model: { name: 'demo', window: 32_000, factor: 1 },
    thinking: false,
    turn: { id: started?.turn ?? ('trn_none' as TurnId), step: 1, cause: started?.cause ?? events.length + 1, ordinal: 1 },
    through: events.length,
    events,
    gaps: [],
    begins: null,
    marksThrough: started?.seq ?? events.length,
    voices: {},
    system: [],
    tools: [],
    asides: [],
    degraded: null,
    ...given,
  }
}

/** A plan with nothing in it but one short message, and what is given. */
export const planOf = (given: Partial<Plan> = {}): Plan => ({
  session: SESSION,
  abilities: { images: true, files: true, cacheMinimum: 0 },
  through: { tools: 0, system: 0, stable: 0, whole: 0 },
  model: 'demo',
  voice: 'assistant',
  ordinal: 1,
  system: '',
  tools: [],
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] }],
  maxTokens: 4096,
  window: 32_768,
  outline: [],
  items: [],
  thinkingTokens: null,
  stableMessages: 0,
  receipt: {
    through: 1,
    window: { begins: 1 },
    policy: 'steady@1',
    model: 'demo',
    voice: 'assistant',
    tokens: { estimated: 10, reported: null, cached: null, factor: 1, limit: 28_672, reserved: 4096 },
    degraded: null,
    ladder: [],
    in: [],
    out: [],
  },
  ...given,
})
