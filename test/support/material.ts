import type { Measure } from '../../src/context/text/tokens.ts'
import { count, weigh } from '../../src/context/text/tokens.ts'
import type { Damaged, Event, Fact, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Material } from '../../src/model/plan.ts'
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
  return {
    session: SESSION,
    voice: 'assistant',
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
