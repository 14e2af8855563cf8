// Prints answers until every turn has ended.
import type { Signal } from '../../../engine.ts'
import type { SessionId } from '../../../model/ids.ts'
import { inkFor } from '../output/ink.ts'
import { figure } from '../output/phrase.ts'
import { complain, type Terminal } from '../output/terminal.ts'
import type { AnsweringEngine } from './answering-engine.ts'
import { type Approve, createDecider } from './decide.ts'
import { oneVoiceAtATime } from './one-voice-at-a-time.ts'
import { type AnswerOutcome, jsonSpeaker, textSpeaker } from './speaker.ts'

/** How to print an answer. */
export type Printing = { readonly json?: boolean; readonly quiet?: boolean }

/** Which signals to print, and until when. */
export type ConversationReading = {
  readonly session: SessionId
  readonly printing: Printing
  /** The person's wish to stop; its reason is the exit code. */
  readonly stop: AbortSignal
  readonly signals: (abort: AbortSignal) => AsyncIterable<Signal>
  readonly approve?: Approve
  /** Rewords a fault for the person, where the gateway's words do not fit. */
  readonly phrase?: (trouble: string) => string
}

/** How long to wait for a turn to end after asking it to stop. */
const STOP_MS = 2000

/** Prints the conversation until every turn has ended. Returns 0 only if the answer was finished. */
export async function hearOut(
  terminal: Terminal,
  answerer: AnsweringEngine,
  { session: id, printing, stop, signals, approve, phrase = trouble => trouble }: ConversationReading,
): Promise<number> {
  const { json = false, quiet = false } = printing
  const speaker = json
    ? jsonSpeaker(terminal, id)
    : oneVoiceAtATime(textSpeaker(terminal, { quiet }), terminal.stdout.isTTY === true)
  const decider = createDecider(terminal, answerer, approve)
  const listening = new AbortController()
  const cancelling: Promise<unknown>[] = []
  const cancel = (): void => {
    cancelling.push(answerer.verbs.cancel(id))
    setTimeout(() => listening.abort(), STOP_MS).unref()
  }
  stop.addEventListener('abort', cancel, { once: true })
  for await (const signal of signals(listening.signal)) {
    speaker.hear(signal)
    decider.hear(signal)
    // A stop that came before the turn began found nothing to stop.
    if (stop.aborted && signal.type === 'event' && signal.event.type === 'context.planned') cancel()
  }
  decider.end()
  stop.removeEventListener('abort', cancel)
  await Promise.all(cancelling)
  const outcome = speaker.end()
  if (stop.aborted) return stop.reason
  const trouble = troubleOf(outcome)
  if (trouble !== undefined) return complain(terminal, `${phrase(trouble)}; ${whereToLook(id, outcome)}`)
  if (outcome.endings.some(({ answer }) => answer === 'cut')) terminal.stderr.write(`${cutWords(id, outcome)}\n`)
  if (!json && !quiet) sign(terminal, id, outcome)
  return 0
}

/** Why the answer is incomplete; undefined if it is complete. */
function troubleOf({ endings, fault, receipt }: AnswerOutcome): string | undefined {
  if (fault !== undefined) return fault.message
  if (endings.length === 0) return 'the answer broke off'
  const unfinished = endings.find(({ reason, answer }) => reason !== 'done' || answer === 'empty')
  if (unfinished === undefined) return undefined
  const not = endings.length === 1 ? 'not answered' : `not answered by ${unfinished.voice}`
  switch (unfinished.reason) {
    case 'done':
      return `${not}: the model gave an empty answer${usedUp(receipt)}`
    case 'failed':
      return `${not}: ${unfinished.fault?.message ?? 'the turn failed'}`
    case 'cancelled':
      return `${not}: someone stopped the turn`
    case 'interrupted':
      return `${not}: the gateway stopped`
    case 'limit':
      return `${not}: ${unfinished.fault?.message ?? 'the turn reached its step limit'}`
  }
}

const usedUp = (receipt: AnswerOutcome['receipt']): string =>
  receipt === undefined ? '' : ` within its limit of ${figure(receipt.tokens.reserved)} tokens`

/** A cut answer is still an answer, but the person should know that there is more. */
const cutWords = (id: SessionId, { receipt }: AnswerOutcome): string =>
  `turnwise: the answer was cut off at its limit${receipt === undefined ? '' : ` of ${figure(receipt.tokens.reserved)} tokens`}; "turnwise resume ${id}" continues it`

/** The hint about what to do next. */
function whereToLook(id: SessionId, { endings, fault }: AnswerOutcome): string {
  const canGoOn =
    fault === undefined &&
    endings.some(
      ({ reason, answer }) => reason === 'failed' || reason === 'interrupted' || (reason === 'done' && answer === 'empty'),
    )
  return `"turnwise show ${id}" has what was said${canGoOn ? `, "turnwise resume ${id}" tries again` : ''}`
}

/** For a person who watches: how to continue, and how much the model saw. */
function sign({ stderr, environment }: Terminal, id: SessionId, { receipt }: AnswerOutcome): void {
  if (stderr.isTTY !== true) return
  const seen = receipt === undefined ? '' : ` · ${figure(receipt.tokens.estimated)} tokens sent, ${receipt.policy}`
  stderr.write(`${inkFor(stderr, environment).dim(`${id}${seen}`)}\n`)
}
