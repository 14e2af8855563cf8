/** Finds who hears a message and who answers it. */

import type { Exchange } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { andThen, err, mapResult, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { type Council, EXCHANGE, isAfterRound, SYNTHESIS } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { mentioned, named } from '../council/round-members.ts'
import type { SessionState } from '../schedule/session-state.ts'
import type { Services } from '../services.ts'
import type { Address, Inbound } from './admit.ts'
import { agentOf, councilOf } from './speaker.ts'

type Known = Pick<Services, 'agents' | 'councils'>

/** Whom a person's message is for: the advisors it names, in `to` or in its text, or every active one. */
export function addressOf(known: Known, session: Session, { to: names, text, synthesis: wish }: Inbound): Result<Address, Fault> {
  if (session.council === null) {
    if (names !== undefined) return err(fault('invalid', 'to: this session has no council; only advisors can be named'))
    if (wish !== undefined && wish !== null) return err(fault('invalid', 'synthesis: this session has no council'))
    return ok({})
  }
  return andThen(councilOf(known, session), council => {
    const called = names === undefined ? ok(mentioned(council, text)) : named(council, names)
    if (!called.ok) return called
    const to = called.value.length === 0 ? undefined : called.value
    return mapResult(to === undefined ? activeIn(council) : ok(to), asked => {
      // A message to some of the advisors is no round of the council, so the council's own synthesis does not follow it.
      const synthesis = wish === undefined ? (to === undefined ? council.synthesis : undefined) : (wish ?? undefined)
      return {
        ...(to === undefined ? {} : { to }),
        voices: [...asked, ...(synthesis === undefined ? [] : [SYNTHESIS])],
        ...(synthesis === undefined ? {} : { synthesis }),
      }
    })
  })
}

/** The address of an exchange: every active advisor. It follows the round at `after`, unless another message came since. */
export function exchangeAddress(
  known: Known,
  { session, standing }: SessionState,
  exchange: Exchange,
  after?: number,
): Result<Address, Fault> {
  if (after !== undefined && !standing.due.some(({ voice, seq }) => voice === EXCHANGE && seq === after))
    return err(fault('conflict', 'the exchange was ended by another message'))
  const active = andThen(councilOf(known, session), activeIn)
  return mapResult(active, asked => ({ voices: [...asked, ...(exchange.round < exchange.of ? [EXCHANGE] : [])], exchange }))
}

/** The voices that answer a message at once; a synthesis or the next round waits until they have. */
export const answering = (known: Known, session: Session, { voices }: Address): readonly VoiceId[] =>
  (voices ?? [agentOf(known, session).key]).filter(voice => !isAfterRound(voice))

/** The voices that answer a message without names: the agent, or every active advisor of a council that replaced it since. */
export function anyoneIn(known: Known, session: Session): readonly VoiceId[] {
  if (session.council === null) return [agentOf(known, session).key]
  const active = andThen(councilOf(known, session), activeIn)
  return active.ok ? active.value : []
}

function activeIn({ advisors }: Council): Result<readonly VoiceId[], Fault> {
  const active = advisors.flatMap(({ id, active: isActive }) => (isActive ? [id] : []))
  return active.length > 0
    ? ok(active)
    : err(fault('invalid', 'council: every advisor is hidden; show one, or name one with "to"'))
}
