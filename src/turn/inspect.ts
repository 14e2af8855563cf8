import { count } from '../context/tokens.ts'
import type { Event, Recorded } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { SessionId, TurnId } from '../model/ids.ts'
import type { Receipt } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import { policyOf } from './gather.ts'
import { prepare } from './plan.ts'
import { rebuild } from './rebuild.ts'
import type { Rooms } from './rooms.ts'

/** A request with its receipt; `verified` says whether the log still gives the digest that was recorded. */
export type SentContext = {
  readonly receipt: Receipt
  readonly request: { readonly url: string; readonly body: unknown } | null
  readonly verified: boolean | null
  readonly difference?: string
}

/** What a request would look like if things were a little different; nothing is stored. */
export type DryRun = { readonly text?: string; readonly policy?: string; readonly at?: number }

/** The verdict on one recorded request. */
export type Verification = {
  readonly turn: TurnId
  readonly step: number
  readonly verdict: 'identical' | 'different' | 'not-comparable'
  readonly detail?: string
}

type Planned = Extract<Event, { type: 'context.planned' }>

/** Looks at what was sent and at what would be; changes nothing. */
export type Inspector = {
  readonly asSent: (id: SessionId, turn: TurnId, step?: number) => Promise<Result<SentContext, Fault>>
  readonly wouldSend: (id: SessionId, dryRun: DryRun) => Promise<Result<SentContext, Fault>>
  readonly verify: (id: SessionId) => AsyncIterable<Verification>
}

const PAGE = 200

export function createInspector(rooms: Rooms): Inspector {
  const { log } = rooms
  const turnsThrough = async (id: SessionId, through: number): Promise<Result<number, Fault>> => {
    const started = await log.read(id, { only: 'turn.started', through })
    return started.ok ? ok(started.value.length) : started
  }
  return {
    asSent: async (id, turn, step) => {
      const events = await log.read(id, { turn })
      if (!events.ok) return events
      const planned = events.value.findLast(
        (event): event is Planned => event.type === 'context.planned' && (step === undefined || event.step === step),
      )
      if (planned === undefined) return err(fault('not-found', 'there is no request of that turn and step'))
      const rebuilt = await rebuild(rooms, id, planned.receipt, planned.step)
      if (!rebuilt.ok) return rebuilt
      const reply = events.value.find(
        event => (event.type === 'reply.finished' || event.type === 'reply.broken') && event.step === planned.step,
      )
      const receipt = withReport(planned.receipt, reply)
      const outcome = rebuilt.value
      if (outcome.verdict === 'not-comparable') return ok({ receipt, request: null, verified: null, difference: outcome.why })
      const request =
        outcome.encoded === undefined ? null : { url: outcome.encoded.url, body: JSON.parse(outcome.encoded.body) as unknown }
      if (outcome.verdict === 'identical') return ok({ receipt, request, verified: true })
      return ok({ receipt, request, verified: false, difference: outcome.difference })
    },

    wouldSend: async (id, { text, policy, at }) => {
      const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
      if (!session.ok) return session
      if (!standing.ok) return standing
      if (policy !== undefined && !rooms.policies.has(policy)) {
        return err(fault('invalid', `policy: there is no "${policy}"; known: ${[...rooms.policies.keys()].join(', ')}`))
      }
      if (text === undefined && standing.value.messages === 0) {
        return err(fault('invalid', 'text: the session is empty, so give the text that would be said'))
      }
      const head = Math.min(at ?? standing.value.head, standing.value.head)
      const turns = at === undefined ? ok(standing.value.turns) : await turnsThrough(id, head)
      if (!turns.ok) return turns
      const prepared = await prepare(
        at === undefined ? rooms : { ...rooms, log: { ...log, ...asOf(rooms, head) } },
        {
          session: session.value,
          policy: policyOf(rooms, policy ?? session.value.policy),
          turn: { id: 'trn_dryrun' as TurnId, step: 1, cause: head + 1, ordinal: turns.value + 1 },
          // Tokens as of then are not known; a history that was long since may not have been.
          standing: { ...standing.value, head, ...(at === undefined ? {} : { tokens: 0 }) },
          own: [],
          unsaved: text === undefined ? [] : [imagined(id, head + 1, text)],
        },
        null,
      )
      if (!prepared.ok) return prepared
      const { encoded, receipt } = prepared.value
      return ok({ receipt, request: { url: encoded.url, body: JSON.parse(encoded.body) as unknown }, verified: true })
    },

    async *verify(id) {
      for (let after = 0; ; ) {
        const page = await log.read(id, { only: 'context.planned', after, limit: PAGE })
        if (!page.ok) throw new Error(page.fault.message)
        for (const event of page.value) {
          after = event.seq
          if (event.type !== 'context.planned') continue
          const rebuilt = await rebuild(rooms, id, event.receipt, event.step)
          const { turn, step } = event
          if (!rebuilt.ok) yield { turn, step, verdict: 'different', detail: rebuilt.fault.message }
          else if (rebuilt.value.verdict === 'identical') yield { turn, step, verdict: 'identical' }
          else if (rebuilt.value.verdict === 'different')
            yield { turn, step, verdict: 'different', detail: rebuilt.value.difference }
          else yield { turn, step, verdict: 'not-comparable', detail: rebuilt.value.why }
        }
        if (page.value.length < PAGE) return
      }
    },
  }
}

/** The same log, as if nothing had been said after `head`. */
const asOf = ({ log }: Rooms, head: number): Pick<Rooms['log'], 'read' | 'tail'> => ({
  read: (id, range = {}) => log.read(id, { ...range, through: Math.min(range.through ?? head, head) }),
  tail: async (id, want) => {
    const tail = await log.tail(id, want)
    return tail.ok ? ok({ ...tail.value, events: tail.value.events.filter(event => event.seq <= head) }) : tail
  },
})

const imagined = (session: SessionId, seq: number, text: string): Event => ({
  type: 'message.received',
  session,
  seq,
  at: '',
  tokens: count(text),
  text,
  from: 'person',
})

function withReport(receipt: Receipt, reply: Recorded | undefined): Receipt {
  const usage = reply !== undefined && 'usage' in reply ? reply.usage : undefined
  if (usage === undefined) return receipt
  const reported = usage.input + usage.cacheRead + usage.cacheWrite
  return { ...receipt, tokens: { ...receipt.tokens, reported, cached: usage.cacheRead } }
}
