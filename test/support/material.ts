import type { Measure } from '../../src/context/render.ts'
import { count, weigh } from '../../src/context/tokens.ts'
import type { Damaged, Event, Fact, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Material } from '../../src/model/plan.ts'
import { hash } from '../../src/turn/measure.ts'

export const measure: Measure = { count, hash }

/** A row that can no longer be read, in a list of facts. */
export type Unreadable = { readonly type: 'damaged'; readonly why: string }

const SESSION = 'ses_1' as SessionId
const AT = '2026-01-01T12:00:00.000Z'

/** Facts as a log would give them back. */
export const recorded = (facts: readonly (Fact | Unreadable)[]): readonly Recorded[] =>
  facts.map((fact, index) =>
    fact.type === 'damaged'
      ? ({ ...fact, session: SESSION, seq: index + 1, at: AT, tokens: 0 } satisfies Damaged)
      : ({ ...fact, session: SESSION, seq: index + 1, at: AT, tokens: weigh(fact).tokens } as Event),
  )

/** Everything for a request whose turn is the last one that was started; anything else can be given. */
export function materialOf(facts: readonly (Fact | Unreadable)[], given: Partial<Material> = {}): Material {
  const events = recorded(facts)
  const started = events.findLast(event => event.type === 'turn.started')
  const turn = started?.type === 'turn.started' ? started : undefined
  return {
    session: SESSION,
    voice: 'assistant',
    model: { name: 'demo', window: 32_000, factor: 1 },
    turn: { id: turn?.turn ?? ('trn_none' as TurnId), step: 1, cause: turn?.cause ?? events.length + 1, ordinal: 1 },
    through: events.length,
    events,
    unread: null,
    system: [],
    tools: [],
    asides: [],
    degraded: null,
    ...given,
  }
}
