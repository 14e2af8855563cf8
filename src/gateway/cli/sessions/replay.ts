// Plans past turns again under another policy.
import { windowRules } from '../../../context/window/kinds.ts'
import type { DryRun, Engine, SentContext, WouldSend } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { Receipt } from '../../../model/receipt.ts'
import type { Result } from '../../../model/result.ts'
import { type Policy, policyLabel } from '../../../model/settings/policy.ts'
import { momentOf, type Turn } from '../context/turns.ts'

/** What turns of a voice would have been sent if the voice had always had this policy. The index counts the voice's turns. */
export type Replay = {
  readonly turn: (index: number) => Promise<Result<SentContext, Fault>>
  /** What a question would be sent with, asked after a turn, and whether that has the evidence. */
  readonly question: (index: number, question: string, evidence: readonly number[]) => Promise<Result<WouldSend, Fault>>
}

/** A growing window depends on where it began before; a replay goes back at most this many turns. */
const MOST_FOLLOWED = 200

/** What a turn goes on from: what the request before it showed, and what recall could spend after that. */
type Before = Pick<DryRun, 'last' | 'balance'>

const leftBy = ({ window, recall }: Receipt): Before => ({
  last: window,
  ...(recall?.balance === undefined ? {} : { balance: recall.balance }),
})

/** Plans the turns of one voice under a policy. It sends and stores nothing. */
export function replayUnder(engine: Engine, id: SessionId, turns: readonly Turn[], policy: Policy): Replay {
  /** What the last request of each turn showed and left, as recorded or as planned here. */
  const shown = new Map<number, Before | undefined>()

  const plan = (turn: Turn, before: Before | undefined): Promise<Result<SentContext, Fault>> =>
    engine.wouldSend(id, { ...momentOf(turn), policy: policy.name, ...before })

  const recorded = async ({ id: turn }: Turn): Promise<Before | undefined> => {
    const events = await engine.read(id, { turn })
    const planned = events.ok ? events.value.findLast(event => event.type === 'context.planned') : undefined
    if (planned?.type !== 'context.planned') return undefined
    const { receipt } = planned
    const isSound = receipt.policy === policyLabel(policy) && receipt.degraded === null && receipt.inputs.isBare !== true
    return isSound ? leftBy(receipt) : undefined
  }

  /** What the previous turn showed. Plans the turns in between first if necessary. */
  const shownBefore = async (index: number): Promise<Before | undefined> => {
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
      if (planned.ok) last = leftBy(planned.value.receipt)
      shown.set(known + 1 + offset, last)
    }
    return last
  }

  /** A window that grows goes on from where it was, and recall from what it has saved. */
  const goesOn = windowRules(policy.window).grows !== null || policy.recall?.tokens === 'auto'
  const before = async (index: number): Promise<Before | undefined> => (goesOn ? shownBefore(index) : undefined)
  const turnAt = (index: number): Turn => {
    const turn = turns[index]
    if (turn === undefined) throw new Error(`there is no turn at ${index}`)
    return turn
  }

  return {
    turn: async index => plan(turnAt(index), await before(index)),
    question: async (index, text, evidence) => {
      const next = turns[index + 1]
      const moment = next === undefined ? {} : { at: next.cause - 1 }
      const { voice } = turnAt(index)
      return engine.wouldSend(id, { voice, policy: policy.name, text, evidence, ...moment, ...(await before(index + 1)) })
    },
  }
}
