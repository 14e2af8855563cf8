// Plans past turns again under another policy.
import { windowRules } from '../../../context/window/kinds.ts'
import type { Engine, SentContext } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { Result } from '../../../model/result.ts'
import { type Policy, policyLabel } from '../../../model/settings/policy.ts'
import { momentOf, type Turn } from '../context/turns.ts'

/** What would have been sent in a turn of a voice, by its place among the voice's turns, if it had always had a policy. */
export type Replay = (index: number) => Promise<Result<SentContext, Fault>>

/** A window that grows depends on where it began before; that is followed over so many turns. */
const MOST_FOLLOWED = 200

/** Plans turns of one voice under a policy; nothing is sent or stored. */
export function replayUnder(engine: Engine, id: SessionId, turns: readonly Turn[], policy: Policy): Replay {
  /** Where the window of a turn began, as it was recorded or as it was planned here. */
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

  /** Where the window of the turn before began; turns in between that nobody planned yet are planned on the way. */
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
      // What does not fit is not sent, and moves no window.
      if (planned.ok) begins = planned.value.receipt.window.begins ?? undefined
      begun.set(known + 1 + offset, begins)
    }
    return begins
  }

  return async index => {
    const turn = turns[index]
    if (turn === undefined) throw new Error(`there is no turn at ${index}`)
    return plan(turn, windowRules(policy.window).continuesFromLast ? await begunBefore(index) : undefined)
  }
}
