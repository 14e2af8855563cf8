// Plans past turns again under another policy.
import { windowRules } from '../../../context/window/kinds.ts'
import type { Engine, SentContext } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { WindowState } from '../../../model/receipt.ts'
import type { Result } from '../../../model/result.ts'
import { type Policy, policyLabel } from '../../../model/settings/policy.ts'
import { momentOf, type Turn } from '../context/turns.ts'

/** What a turn of a voice would have been sent if the voice had always had this policy. The index counts the voice's turns. */
export type Replay = (index: number) => Promise<Result<SentContext, Fault>>

/** A growing window depends on where it began before; a replay goes back at most this many turns. */
const MOST_FOLLOWED = 200

/** Plans the turns of one voice under a policy. It sends and stores nothing. */
export function replayUnder(engine: Engine, id: SessionId, turns: readonly Turn[], policy: Policy): Replay {
  /** What the last request of each turn showed, as recorded or as planned here. */
  const shown = new Map<number, WindowState | undefined>()

  const plan = (turn: Turn, last: WindowState | undefined): Promise<Result<SentContext, Fault>> =>
    engine.wouldSend(id, { ...momentOf(turn), policy: policy.name, ...(last === undefined ? {} : { last }) })

  const recorded = async ({ id: turn }: Turn): Promise<WindowState | undefined> => {
    const events = await engine.read(id, { turn })
    const planned = events.ok ? events.value.findLast(event => event.type === 'context.planned') : undefined
    if (planned?.type !== 'context.planned') return undefined
    const { receipt } = planned
    const isSound = receipt.policy === policyLabel(policy) && receipt.degraded === null && receipt.inputs.isBare !== true
    return isSound ? receipt.window : undefined
  }

  /** What the previous turn showed. Plans the turns in between first if necessary. */
  const shownBefore = async (index: number): Promise<WindowState | undefined> => {
    const first = Math.max(0, index - MOST_FOLLOWED)
    let known = index - 1
    for (; known >= first && !shown.has(known); known -= 1) {
      const turn = turns[known]
      const at = turn === undefined ? undefined : await recorded(turn)
      if (at !== undefined) shown.set(known, at)
      if (at !== undefined) break
    }
    let last = shown.get(known)
    for (const [offset, turn] of turns.slice(known + 1, index).entries()) {
      const planned = await plan(turn, last)
      // A request that does not fit is not sent, so the window stays where it was.
      if (planned.ok) last = planned.value.receipt.window
      shown.set(known + 1 + offset, last)
    }
    return last
  }

  return async index => {
    const turn = turns[index]
    if (turn === undefined) throw new Error(`there is no turn at ${index}`)
    return plan(turn, windowRules(policy.window).grows !== null ? await shownBefore(index) : undefined)
  }
}
