/** Asks Telegram for updates, one long question after another, until the channel stops. */
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Receiver } from '../channel/adapter.ts'
import { backoff, pauseUnlessAborted } from '../channel/pace.ts'
import type { BotApi } from './bot-api.ts'
import type { TelegramPace } from './pace.ts'
import { parseUpdate } from './update.ts'

export type Polling = Receiver & {
  readonly api: Pick<BotApi, 'updates'>
  readonly pace: TelegramPace
  readonly abort: AbortSignal
}

const LET_GO_MS = 24 * 3_600_000

/** Asking for what comes after an update confirms it, so that is asked only when the update was taken. */
export async function poll({ api, take, pace, abort, onState }: Polling): Promise<void> {
  let offset: number | undefined
  let failures = 0
  let newsAt = Date.now()
  while (!abort.aborted) {
    const askedAt = Date.now()
    const asked = await api.updates(offset, pace.pollSeconds)
    const isQuiet = asked.ok && asked.value.length === 0
    if (!isQuiet) newsAt = Date.now()
    // After a quiet week Telegram's numbers may begin anew. The old offset, kept so long, would confirm updates that were never read.
    else if (Date.now() - newsAt > LET_GO_MS) offset = undefined
    // A server that answers at once though it has no updates must not be asked a thousand times a second.
    if (isQuiet) await pauseUnlessAborted(Math.min(pace.idleMs, askedAt + pace.pollSeconds * 1000 - Date.now()), abort)
    const taken = asked.ok ? await takeAll(asked.value) : asked
    if (abort.aborted) return
    onState(taken.ok ? undefined : taken.fault)
    failures = taken.ok ? 0 : failures + 1
    if (!taken.ok) await pauseUnlessAborted(Math.max(taken.fault.retryAfterMs ?? 0, backoff(pace, failures)), abort)
  }

  /** In the order of their numbers, also where they came in another. */
  async function takeAll(values: readonly unknown[]): Promise<Result<null, Fault>> {
    const updates = values.flatMap(value => parseUpdate(value) ?? []).sort((one, other) => one.number - other.number)
    for (const { number, incoming } of updates) {
      if (abort.aborted) return ok(null)
      const taken = incoming === undefined ? ok(null) : await take(incoming)
      if (!taken.ok) return taken
      offset = Math.max(offset ?? 0, number + 1)
    }
    return ok(null)
  }
}
