/** The updates that wait in the fake Telegram until the bot fetches them. */

type Update = { readonly update_id: number }
type Taken =
  | { readonly ok: true; readonly result: readonly Update[] }
  | { readonly ok: false; readonly error_code: 409; readonly description: string }

/** Updates that wait to be fetched. A request for later updates confirms the earlier ones. */
export type FakeQueue = {
  readonly put: (update: Readonly<Record<string, unknown>>) => number
  readonly repeat: (update: number, times?: number) => void
  readonly brings: (how: { readonly times?: number; readonly reversed?: boolean }) => void
  readonly confirmed: () => number
  /** Waits for updates as long as the request says. A second request ends the first one. */
  readonly take: (payload: Readonly<Record<string, unknown>>, gone: AbortSignal) => Promise<Taken>
}

const MOST = 100

export function createFakeQueue(first = 1000): FakeQueue {
  const all = new Map<number, Update>()
  let waiting: readonly Update[] = []
  let again: readonly Update[] = []
  let next = first
  let confirmed = 0
  let how: { readonly times?: number; readonly reversed?: boolean } = {}
  let wake: () => void = () => {}
  let sendAway: () => void = () => {}

  const batch = (): readonly Update[] => {
    const { times = 1, reversed = false } = how
    const found = [...again, ...waiting].slice(0, MOST)
    again = []
    const repeated = Array.from({ length: times }, () => found).flat()
    return reversed ? repeated.reverse() : repeated
  }
  return {
    put: update => {
      const made = { update_id: next, ...update }
      next += 1
      all.set(made.update_id, made)
      waiting = [...waiting, made]
      wake()
      return made.update_id
    },
    repeat: (update, times = 1) => {
      const known = all.get(update)
      if (known !== undefined) again = [...again, ...Array.from({ length: times }, () => known)]
      wake()
    },
    brings: wish => {
      how = wish
    },
    confirmed: () => confirmed,
    take: async ({ offset, timeout }, gone) => {
      if (typeof offset === 'number' && offset > 0) {
        confirmed = Math.max(confirmed, offset - 1)
        waiting = waiting.filter(({ update_id: id }) => id >= offset)
      }
      sendAway()
      let isSentAway = false
      const until = Date.now() + (typeof timeout === 'number' ? timeout * 1000 : 0)
      while (waiting.length === 0 && again.length === 0 && Date.now() < until && !gone.aborted && !isSentAway)
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, Math.max(1, until - Date.now()))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          sendAway = () => {
            isSentAway = true
            wake()
          }
          gone.addEventListener('abort', () => wake(), { once: true })
        })
      if (isSentAway)
        return {
          ok: false,
          error_code: 409,
          description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
        }
      // A client that hung up gets nothing, so that a repeated update is not lost.
      return { ok: true, result: gone.aborted ? [] : batch() }
    },
  }
}
