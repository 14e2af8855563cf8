import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { BotApi } from './bot-api.ts'
import { backoff, type Pace, pause } from './pace.ts'
import { type Incoming, parseUpdate } from './update.ts'

export type Polling = {
  readonly api: Pick<BotApi, 'updates'>
  /** Whatever it refuses is not acknowledged, and comes again. */
  readonly take: (incoming: Incoming) => Promise<Result<null, Fault>>
  readonly pace: Pace
  readonly abort: AbortSignal
  /** Told what is wrong, and of nothing when it is well again. */
  readonly onTrouble: (fault: Fault | undefined) => void
}

const LET_GO_MS = 24 * 3_600_000

/**
 * Asks for news until the door closes. An update is confirmed by asking for what comes after it, and that is only asked when it was
 * taken for good.
 */
export async function poll({ api, take, pace, abort, onTrouble }: Polling): Promise<void> {
  let offset: number | undefined
  let failures = 0
  let newsAt = Date.now()
  while (!abort.aborted) {
    const askedAt = Date.now()
    const asked = await api.updates(offset, pace.pollSeconds)
    const isQuiet = asked.ok && asked.value.length === 0
    if (!isQuiet) newsAt = Date.now()
    // Numbers may begin anew after a quiet week: before that the old one is let go, for it would confirm what nobody has seen.
    else if (Date.now() - newsAt > LET_GO_MS) offset = undefined
    // A server that does not wait for news is not to be asked a thousand times a second.
    if (isQuiet) await pause(Math.min(pace.idleMs, askedAt + pace.pollSeconds * 1000 - Date.now()), abort)
    const taken = asked.ok ? await takeAll(asked.value) : asked
    if (abort.aborted) return
    onTrouble(taken.ok ? undefined : taken.fault)
    failures = taken.ok ? 0 : failures + 1
    if (!taken.ok) await pause(Math.max(taken.fault.retryAfterMs ?? 0, backoff(pace, failures)), abort)
  }

  /** In the order of their numbers, whatever order they came in. */
  async function takeAll(values: readonly unknown[]): Promise<Result<null, Fault>> {
    const incoming = values.flatMap(value => parseUpdate(value) ?? []).sort((one, other) => one.update - other.update)
    for (const each of incoming) {
      if (abort.aborted) return ok(null)
      const taken = await take(each)
      if (!taken.ok) return taken
      offset = Math.max(offset ?? 0, each.update + 1)
    }
    return ok(null)
  }
}
