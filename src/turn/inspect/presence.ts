/** Finds which later requests contain a message. */
import { assemble } from '../../context/assemble.ts'
import { type Presence, presenceAmong, presenceIn, type Subject } from '../../context/receipt/presence.ts'
import { rulesOf } from '../../context/versions.ts'
import type { Planned } from '../../log/ports.ts'
import type { Event, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Services } from '../services.ts'
import { isPlanned } from './neighbours.ts'
import { materialAgain } from './rebuild.ts'

/** Whether one later request contains a message. */
export type PresenceItem = Presence & {
  readonly turn: TurnId
  readonly step: number
  readonly voice: VoiceId
  readonly at: string
}

export type Presences = { readonly seq: number; readonly items: readonly PresenceItem[]; readonly next: number | null }

export type PresenceRange = {
  /** Only requests before this seq. */
  readonly before?: number
  readonly limit: number
}

/** The requests built after a message that contain it, newest first. */
export async function presenceOf(
  services: Services,
  id: SessionId,
  seq: number,
  { before = Number.MAX_SAFE_INTEGER, limit }: PresenceRange,
): Promise<Result<Presences, Fault>> {
  const subject = await subjectAt(services, id, seq)
  if (!subject.ok) return subject
  const page = await services.log.read(id, { only: 'context.planned', after: seq, through: before - 1, limit, newest: true })
  if (!page.ok) return page
  // A request that was being built when the message came could not include it.
  const planned = page.value.filter(isPlanned).filter(({ receipt }) => receipt.through >= seq)
  const views = await viewsOf(services, planned)
  if (!views.ok) return views
  const items: PresenceItem[] = []
  for (const asked of planned.toReversed()) {
    const { turn, step, at, receipt } = asked
    const said =
      recalledIn(receipt, subject.value) ?? presenceIn(receipt, subject.value, views.value.get(receipt.inputs.policy) ?? 'all')
    const presence = said === 'unclear' ? await presenceAgain(services, id, asked, subject.value) : ok(said)
    if (!presence.ok) return presence
    items.push({ turn, step, voice: receipt.voice, at, ...presence.value })
  }
  return ok({ seq, items, next: page.value.length === limit ? (page.value[0]?.seq ?? null) : null })
}

/** Quoted beside the new message, whole or by its best passages; undefined if it is not. */
export function recalledIn({ window: { recalled = [] } }: Pick<Receipt, 'window'>, subject: Subject): Presence | undefined {
  const own = recalled.filter(({ chat }) => chat === undefined)
  const quote = own.find(({ seqs }) => seqs.includes(subject.seq) || subject.message.some(seq => seqs.includes(seq)))
  return quote && { in: true, ...(quote.slices === undefined ? {} : { part: true }), reason: 'recall.match' }
}

/** If the receipt's lines do not decide it, the request is assembled again, but not encoded. */
async function presenceAgain(
  services: Services,
  id: SessionId,
  { receipt, step }: Planned,
  subject: Subject,
): Promise<Result<Presence, Fault>> {
  const again = await materialAgain(services, id, receipt, step)
  if (!again.ok) return again
  const rules = rulesOf(receipt.inputs.assembly)
  if (rules === undefined)
    return err(fault('invalid', 'this request was built by a newer Turnwise, which this one cannot follow'))
  const plan = assemble(again.value.material, again.value.policy, services.measure, rules)
  return plan.ok ? ok(presenceAmong(plan.value.items, receipt, subject)) : plan
}

/** How the policies of these requests look at a session, by hash. */
async function viewsOf(
  { log }: Services,
  planned: readonly Planned[],
): Promise<Result<ReadonlyMap<string, Policy['view']>, Fault>> {
  const texts = await log.texts([...new Set(planned.map(({ receipt }) => receipt.inputs.policy))])
  if (!texts.ok) return texts
  return ok(new Map([...texts.value].map(([hash, text]) => [hash, (JSON.parse(text) as Policy).view])))
}

export async function subjectAt({ log }: Services, id: SessionId, seq: number): Promise<Result<Subject, Fault>> {
  const [found, marked] = await Promise.all([
    log.read(id, { after: seq - 1, through: seq }),
    log.read(id, { only: 'message.marked' }),
  ])
  if (!found.ok) return found
  if (!marked.ok) return marked
  const [event] = found.value
  if (event === undefined) return err(fault('not-found', `there is no event ${seq} in this session`))
  const marksOn = (targets: readonly number[]): Subject['marks'] =>
    marked.value.flatMap(each => (each.type === 'message.marked' && targets.includes(each.target) ? [each] : []))
  switch (event.type) {
    case 'message.received': {
      const isBlank = event.text.trim() === '' && (event.parts ?? []).length === 0
      const to = event.to === undefined ? {} : { to: event.to }
      return ok({ ...PLAIN, seq, kind: 'heard', key: `heard ${seq}`, message: [seq], ...to, isBlank, marks: marksOn([seq]) })
    }
    case 'history.folded':
      return ok({ ...PLAIN, seq, kind: 'summary', key: `summary ${seq}`, message: [seq], marks: marksOn([seq]) })
    case 'reply.finished':
    case 'reply.broken':
    case 'tool.settled': {
      if (isReply(event) && event.parts.length === 0) return err(fault('not-found', `nothing was said at ${seq}`))
      const turn = await log.read(id, { turn: event.turn })
      return turn.ok ? ok(saidSubject(event, turn.value, marksOn(turn.value.filter(isReply).map(each => each.seq)))) : turn
    }
    default:
      return err(fault('invalid', `seq: ${seq} is ${event.type}; what can be in a request is a message, a reply or a result`))
  }
}

const PLAIN: Pick<Subject, 'isBroken' | 'isBlank' | 'isQuotable'> = { isBroken: false, isBlank: false, isQuotable: false }

type SaidEvent = Extract<Event, { type: 'reply.finished' | 'reply.broken' | 'tool.settled' }>

function saidSubject(event: SaidEvent, turn: readonly Recorded[], marks: Subject['marks']): Subject {
  const started = turn.find(each => each.type === 'turn.started')
  const end = turn.find(each => each.type === 'turn.ended')
  const isFailed = end?.type === 'turn.ended' && (end.reason === 'failed' || end.reason === 'interrupted')
  const hasWords = isReply(event) && event.parts.some(part => part.type === 'text' && part.text.trim() !== '')
  const hasCalls = isReply(event) && event.parts.some(part => part.type === 'call')
  return {
    seq: event.seq,
    kind: isReply(event) ? 'said' : 'result',
    key: `turn ${event.turn}`,
    message: turn.filter(isReply).map(({ seq }) => seq),
    turn: event.turn,
    ...(started?.type === 'turn.started' ? { voice: started.voice, cause: started.cause } : {}),
    isBroken: event.type === 'reply.broken',
    isBlank: isReply(event) && !hasWords && !hasCalls,
    isQuotable: hasWords && !isFailed,
    marks,
  }
}
