// Plans past turns again under another policy.
import { windowRules } from '../../../context/window/kinds.ts'
import type { Engine, SentContext } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { Result } from '../../../model/result.ts'
import { type Policy, policyLabel } from '../../../model/settings/policy.ts'
import { momentOf, type Turn } from '../context/turns.ts'

/** What a turn of a voice would have been sent if the voice had always had this policy. The index counts the voice's turns. */
export type Replay = (index: number) => Promise<Result<SentContext, Fault>>

/** A growing window depends on where it began before; a replay goes back at most this many turns. */
const MOST_FOLLOWED = 200

/** Plans the turns of one voice under a policy. It sends and stores nothing. */
export function replayUnder(engine: Engine, id: SessionId, turns: readonly Turn[], policy: Policy): Replay {
  /** Where the window of each turn began, as recorded or as planned here. */
  const begun = new Map<number, number | undefined>()

  const plan = (turn: Turn, begins: number | undefined): Promise<Result<SentContext, Fault>> =>
    engine.wouldSend(id, { ...momentOf(turn), policy: policy.name, ...(begins === undefined ? {} : { begins }) })

  const recorded = async ({ id: turn }: Turn): Promise<number | undefined> => {
    const events = await engine.read(id, { turn })
    const planned = events.ok ? events.value.find(event => event.type === 'context.planned') : undefined
    if (planned?.type !== 'context.planned') return undefined
    const { receipt } = planned
    const isSound = receipt.policy === policyLabel(policy) && receipt.degraded === null && receipt.inputs.isBare !== true
    return isSound ? (receipt.window.begins ?? undefined) : undefined
  }

  /** Where the window of the previous turn began. Plans the turns in between first if necessary. */
  const begunBefore = async (index: number): Promise<number | undefined> => {
    const first = Math.max(0, index - MOST_FOLLOWED)
    let known = index - 1
    for (; known >= first && !begun.has(known); known -= 1) {
      const turn = turns[known]
      const at = turn === undefined ? undefined : await recorded(turn)
      if (at !== undefined) begun.set(known, at)
      if (at !== undefined) break
    }
    let begins = begun.get(known)
    for (const [offset, turn] of turns.slice(known + 1, index).entries()) {
      const planned = await plan(turn, begins)
      // A request that does not fit is not sent, so the window stays where it was.
      if (planned.ok) begins = planned.value.receipt.window.begins ?? undefined
      begun.set(known + 1 + offset, begins)
    }
    return begins
  }

  return async index => {
    const turn = turns[index]
    if (turn === undefined) throw new Error(`there is no turn at ${index}`)
    return plan(turn, windowRules(policy.window).grows !== null ? await begunBefore(index) : undefined)
  }
}
