/** The inspector: shows requests as they were sent, shows what would be sent, and verifies a session. */
import type { Planned } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { beyondOf, usageOf, withReport } from '../cost/reported-usage.ts'
import type { DeepVerdict, DeepVerifier } from '../recall/deep-verify.ts'
import type { Services } from '../services.ts'
import { createDryRuns, createPlanner, type DryRun, type Planner, type WouldSend } from './dry-run.ts'
import { isPlanned, type RequestPlace, requestAfter, requestBefore, requestPlace } from './neighbours.ts'
import { type Rebuilt, rebuild } from './rebuild.ts'
import { type Detail, itemsIn, requestOf, type SentContext } from './sent-context.ts'

/** With its neighbours where items were asked for: the requests of the same voice before and after it. */
export type AsSent = SentContext & Partial<Neighbours>

type Neighbours = {
  readonly previous: RequestPlace | null
  readonly next: RequestPlace | null
  /** How many steps its turn has. */
  readonly steps: number
}

/** The verdict on one recorded request. */
export type Verification = {
  readonly turn: TurnId
  readonly step: number
  readonly verdict: 'identical' | 'different' | 'not-comparable'
  readonly detail?: string
  /** Whether recall chooses the same again; only where that was asked for, and something was looked up for the request. */
  readonly deep?: DeepVerdict
}

export type VerifyDepth = {
  /** Also looks up again what was recalled, in an index that is made for that. */
  readonly deep?: boolean
}

/** Shows what was sent and what would be sent. It changes nothing. */
export type Inspector = {
  readonly plan: Planner
  readonly asSent: (id: SessionId, turn: TurnId, step?: number, options?: Detail) => Promise<Result<AsSent, Fault>>
  readonly wouldSend: (id: SessionId, dryRun: DryRun) => Promise<Result<WouldSend, Fault>>
  readonly verify: (id: SessionId, options?: VerifyDepth) => AsyncIterable<Verification>
}

const PAGE = 200

export function createInspector(services: Services, deepVerifier?: DeepVerifier): Inspector {
  const { log } = services
  const plan = createPlanner(services)

  const neighboursOf = async (
    id: SessionId,
    planned: Planned,
    requests: readonly Planned[],
  ): Promise<Result<Neighbours, Fault>> => {
    // A request that was sent again under the same step is not its own neighbor.
    const first = requests.find(({ step }) => step === planned.step) ?? planned
    const [previous, next] = await Promise.all([
      requestBefore(log, id, planned.receipt.voice, first.seq),
      requestAfter(log, id, planned),
    ])
    if (!previous.ok) return previous
    if (!next.ok) return next
    const steps = new Set(requests.map(({ step }) => step)).size
    return ok({ previous: requestPlace(previous.value), next: requestPlace(next.value), steps })
  }

  return {
    plan,
    wouldSend: createDryRuns(services, plan),
    asSent: async (id, turn, step, options = {}) => {
      const events = await log.read(id, { turn })
      if (!events.ok) return events
      const requests = events.value.filter(isPlanned)
      const planned = requests.findLast(event => step === undefined || event.step === step)
      if (planned === undefined) return err(fault('not-found', 'there is no request of that turn and step'))
      const rebuilt = await rebuild(services, id, planned.receipt, planned.step)
      if (!rebuilt.ok) return rebuilt
      const near = options.items === true ? await neighboursOf(id, planned, requests) : ok({})
      if (!near.ok) return near
      const receipt = { ...withReport(planned.receipt, usageOf(events.value, planned)), ...beyondOf(events.value, planned) }
      const outcome = rebuilt.value
      if (outcome.verdict === 'not-comparable')
        return ok({ receipt, request: null, verified: null, difference: outcome.why, outline: [], ...near.value })
      const { built, outline } = outcome
      const request = built === undefined ? null : requestOf(built, options)
      const verdict = outcome.verdict === 'identical' ? { verified: true } : { verified: false, difference: outcome.difference }
      return ok({ receipt, request, ...verdict, outline, ...itemsIn(built, options), ...near.value })
    },

    async *verify(id, { deep = false } = {}) {
      for (let after = 0; ; ) {
        const page = await log.read(id, { only: 'context.planned', after, limit: PAGE })
        if (!page.ok) throw new Error(page.fault.message)
        for (const event of page.value) {
          after = event.seq
          if (event.type !== 'context.planned') continue
          const { turn, step, receipt } = event
          const verdict = verdictOn(await rebuild(services, id, receipt, step))
          const checked = deep ? await deepVerifier?.check(id, receipt, step) : undefined
          const again = checked?.ok === false ? differs(checked.fault.message) : checked?.value
          yield { turn, step, ...verdict, ...(again === undefined ? {} : { deep: again }) }
        }
        if (page.value.length < PAGE) return
      }
    },
  }
}

type Verdict = Pick<Verification, 'verdict' | 'detail'>

const differs = (detail: string): Verdict => ({ verdict: 'different', detail })

function verdictOn(rebuilt: Result<Rebuilt, Fault>): Verdict {
  if (!rebuilt.ok) return differs(rebuilt.fault.message)
  switch (rebuilt.value.verdict) {
    case 'identical':
      return { verdict: 'identical' }
    case 'different':
      return differs(rebuilt.value.difference)
    case 'not-comparable':
      return { verdict: 'not-comparable', detail: rebuilt.value.why }
  }
}
