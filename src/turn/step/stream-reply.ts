/** Streams a model's reply until it ends or is halted, and passes every delta to followers. */
import type { Took } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { Delta, Notice } from '../../model/message/delta.ts'
import type { Encoded } from '../../model/provider.ts'
import { FOLD } from '../../model/settings/council.ts'
import { createOverlapFilter } from '../recovery/overlap.ts'
import type { Model, Services } from '../services.ts'
import { createCheckpointer } from './checkpoint.ts'
import { addDelta, type EndedDraft, emptyReply } from './reply-builder.ts'
import { heardAt, startWatch, timingOf } from './reply-timing.ts'
import type { Running } from './run.ts'

type Retrying = Extract<Delta, { type: 'retrying' }>

/** Why a turn is stopped early. */
export type Halt = { readonly reason: 'cancelled' | 'failed' | 'interrupted'; readonly fault: Fault }

/** Asks the model and writes down what it says, until it ends or is halted; followers hear every delta, unless the agent is to be heard whole. */
export async function streamReply(
  services: Services,
  { session, turn, voice, model, ledger }: Running,
  step: number,
  request: Encoded,
  before: string,
  signal: AbortSignal,
): Promise<EndedDraft> {
  const { clock, feed, log, observe } = services
  const isHeard = services.agents.get(voice)?.stream !== false
  const checkpointer = createCheckpointer(log, session.id, ledger.fence, isHeard, cause => observe({ type: 'bug', cause }))
  const started = performance.now()
  let watch = startWatch(clock())
  let took: Took | undefined
  let draft = emptyReply(turn, step)
  let spoke = false
  try {
    const heardDeltas = (voice === FOLD ? yieldingDeltas : deltas)(model, request, signal, session.id)
    for await (const delta of before === '' ? heardDeltas : joined(before, heardDeltas)) {
      if (delta.type === 'retrying') feed.notice(session.id, retryingNotice(delta, turn))
      const [written, heard] = addDelta(draft, delta)
      draft = written
      if (heard === undefined) continue
      watch = heardAt(watch, heard.kind, clock())
      if (isHeard) feed.delta(session.id, heard)
      // A fold is never gone on with, so the store need not keep pieces of it.
      if (voice !== FOLD) checkpointer.note(draft, heard.text.length)
      if (!spoke) observe({ type: 'spoke', firstDeltaMs: performance.now() - started })
      spoke = true
    }
    took = timingOf(watch, clock())
  } finally {
    await checkpointer.stop()
  }
  const end = draft.end ?? { type: 'fault' as const, fault: fault('garbled', 'the stream ended before the reply did') }
  return { ...draft, end, ...(took === undefined ? {} : { took }) }
}

const retryingNotice = ({ fault: { message }, afterMs }: Retrying, turn: TurnId): Notice => ({
  kind: 'retrying',
  message: `${message}. Trying again in ${Math.max(1, Math.ceil(afterMs / 1000))} s.`,
  turn,
  afterMs,
})

/** Joins the text after a cut to the text before it. */
async function* joined(before: string, spoken: AsyncIterable<Delta>): AsyncGenerator<Delta> {
  const overlap = createOverlapFilter(before)
  for await (const delta of spoken) {
    const text = delta.type === 'text' ? overlap.push(delta.text) : BESIDE.has(delta.type) ? '' : overlap.end()
    if (text !== '') yield { type: 'text', text }
    if (delta.type !== 'text') yield delta
  }
  const rest = overlap.end()
  if (rest !== '') yield { type: 'text', text: rest }
}

/** What may come before the first word or between two: the words are not over with it. */
const BESIDE: ReadonlySet<Delta['type']> = new Set(['think', 'sealed', 'redacted', 'usage', 'retrying'])

const GAVE_WAY: Halt = { reason: 'failed', fault: fault('overloaded', 'it gave way to an answer') }

/** The same in the background: the request is given up as soon as an answer waits for its place. */
async function* yieldingDeltas(model: Model, request: Encoded, signal: AbortSignal, whose: SessionId): AsyncGenerator<Delta> {
  const giving = new AbortController()
  const halted = AbortSignal.any([signal, giving.signal])
  yield* deltas(model, request, halted, whose, () => giving.abort(GAVE_WAY))
}

/** A provider's deltas up to its end; a halt is heard at once, whether or not the provider hears it. */
async function* deltas(
  { provider }: Model,
  request: Encoded,
  signal: AbortSignal,
  whose: SessionId,
  giveWay?: () => void,
): AsyncGenerator<Delta> {
  const stream = provider.speak(request, signal, whose, giveWay)[Symbol.asyncIterator]()
  // Each delta gets a promise of its own. A race against one long-lived promise would keep all of them in memory.
  let wake = (_: IteratorResult<Delta>): void => {}
  const stop = (): void => wake({ done: false, value: { type: 'fault', fault: (signal.reason as Halt).fault } })
  signal.addEventListener('abort', stop, { once: true })
  try {
    while (true) {
      const next = await new Promise<IteratorResult<Delta>>((resolve, reject) => {
        wake = resolve
        if (signal.aborted) stop()
        else stream.next().then(resolve, reject)
      })
      if (next.done === true) return
      yield next.value
      if (next.value.type === 'done' || next.value.type === 'fault') return
    }
  } finally {
    signal.removeEventListener('abort', stop)
    // Not awaited, because a provider that ignores its signal must not block the turn.
    stream.return?.()?.catch(() => undefined)
  }
}
