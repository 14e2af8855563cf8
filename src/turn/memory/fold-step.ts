/** The one step of a turn that folds: asks the model, and writes the fold together with the reply and the end of the turn. */
import type { Fact, Part } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { FoldMaker, FoldRange, HistoryFolded } from '../../model/fold.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { mapResult, type Result } from '../../model/result.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { internalOf } from '../recovery/decide.ts'
import type { Services } from '../services.ts'
import { replyFact } from '../step/reply-builder.ts'
import { endingBy, failedBy, type Running, type TurnEnding } from '../step/run.ts'
import { learnFrom, sendRequest } from '../step/send-request.ts'
import { breatheBeside } from './breathe.ts'
import { triesFor } from './fold-due.ts'
import { type BoundedRange, prepareFold } from './fold-request.ts'
import { answeredFold, type FoldText } from './fold-text.ts'
import { type FoldStretch, readStretch } from './fold-view.ts'

const NO_STRETCH: Fault = fault('conflict', 'there is nothing to summarize in this stretch')
const UNUSABLE: Fault = fault('garbled', 'the model gave no summary that agrees with the messages')
const EXCLUDED: Fault = fault('conflict', 'a message of the stretch was excluded meanwhile')

/** Runs the step of a turn that folds. Calls in the answer are ignored. */
export async function foldStep(services: Services, running: Running, signal: AbortSignal): Promise<TurnEnding> {
  const ending = await folded(services, running, signal)
  if (ending.reason === 'failed') await tellOnce(services, running, ending.fault)
  return ending
}

async function folded(services: Services, running: Running, signal: AbortSignal): Promise<TurnEnding> {
  const { session, turn, voice, model, own, outlines } = running
  const range = rangeOf(running)
  if (range === undefined) return failedBy(NO_STRETCH)
  const begun = own.at(-1)?.seq ?? 0
  const breathe = breatheBeside(running.isAnswering)
  await breathe()
  const read = await readStretch(services, session, range, breathe)
  if (!read.ok) return failedBy(read.fault)
  const stretch = read.value
  if (stretch.stretch.length === 0) return failedBy(NO_STRETCH)
  const request = await prepareFold(services, running, range, stretch, breathe)
  if (!request.ok) return failedBy(request.fault)
  const { receipt, outline } = request.value
  const reservation = await services.budget.reserve(model, receipt.tokens)
  if (!reservation.ok) return failedBy(reservation.fault)
  const sending = { prepared: request.value, reservation: reservation.value, notices: [], saidBefore: '' }
  const sent = await sendRequest(services, running, 1, sending, signal)
  if (!sent.ok) return failedBy(sent.fault)
  const said = { ...replyFact(sent.value.draft, model.name), ...internalOf(voice) }
  const reply = { ...said, parts: withoutCalls(said.parts) }
  if (reply.usage !== undefined) learnFrom(services, running, receipt, reply.usage)
  outlines.keep(session.id, voice, outline, receipt)
  if (reply.type === 'reply.broken') return { ...endingBy(reply.fault, signal), last: [reply] }
  const text = await answeredFold(
    spokenText([reply]),
    stretch,
    range.tokens,
    services.measure,
    breatheBeside(running.isAnswering),
  )
  if (signal.aborted) return { ...endingBy((signal.reason as { readonly fault: Fault }).fault, signal), last: [reply] }
  if (text.text === '') return { ...failedBy(UNUSABLE), last: [reply] }
  const isSafe = await isStillSafe(services, session.id, range, begun)
  if (!isSafe.ok || !isSafe.value) return { ...failedBy(isSafe.ok ? EXCLUDED : isSafe.fault), last: [reply] }
  return { reason: 'done', last: [reply, foldFact(range, 'model', stretch, text, begun, turn)] }
}

/** The stretch of a turn that folds, as its start says. */
function rangeOf({ own, turn }: Running): BoundedRange | undefined {
  const started = own.find(event => event.type === 'turn.started' && event.turn === turn)
  const range = started?.type === 'turn.started' ? started.fold : undefined
  return range?.tokens === undefined ? undefined : { ...range, tokens: range.tokens }
}

const withoutCalls = (parts: readonly Part[]): readonly Part[] => parts.filter(({ type }) => type !== 'call')

/** What is written of a fold. */
export function foldFact(
  { from, to, voice, replaces, asked }: FoldRange,
  by: FoldMaker,
  { stretch, tokens }: FoldStretch,
  { text, left }: FoldText,
  marksThrough: number,
  turn?: TurnId,
): HistoryFolded {
  return {
    type: 'history.folded',
    ...{ from, to, text, by },
    ...(turn === undefined ? {} : { turn }),
    ...(voice === undefined ? {} : { voice }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(asked === undefined ? {} : { asked }),
    ...{ marksThrough, messages: stretch.length, folded: tokens },
    ...(left.length === 0 ? {} : { left }),
  } satisfies Fact
}

/** Whether no message of a stretch was marked since its words were read: what a person excludes must not be told by a summary. */
export async function isStillSafe(
  { log }: Pick<Services, 'log'>,
  id: SessionId,
  { from, to }: FoldRange,
  since: number,
): Promise<Result<boolean, Fault>> {
  const marks = await log.read(id, { only: 'message.marked', after: since })
  return mapResult(marks, events =>
    events.every(event => event.type !== 'message.marked' || event.target < from || event.target > to),
  )
}

/** Says once for each stretch that there is no summary of it. */
async function tellOnce(services: Services, running: Running, why: Fault | undefined): Promise<void> {
  const { log, feed } = services
  const range = rangeOf(running)
  if (range === undefined) return
  const tries = await triesFor(log, running.session.id, [], range)
  if (tries.ok && tries.value > 1) return
  const because = why === undefined ? '' : `: ${why.message}`
  feed.notice(running.session.id, { kind: 'window', message: `Earlier messages could not be summarized${because}.` })
}
