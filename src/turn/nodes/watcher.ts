/** Watches sessions that other nodes write to: those that have readers here, and those that this node runs. */
import { setTimeout as pause } from 'node:timers/promises'
import type { NodePorts, SessionLook } from '../../log/node-ports.ts'
import type { SessionId } from '../../model/ids.ts'

export type Watcher = {
  /** A session is to be looked at soon. */
  readonly look: (id: SessionId) => void
  readonly begin: (watched: Watched) => void
  readonly stop: () => Promise<void>
}

export type Watched = {
  /** The sessions that matter on this node, … */
  readonly sessions: () => Iterable<SessionId>
  /** … and whether a poke about one says anything new; `head` is 0 where it is about more than the log. */
  readonly matters: (id: SessionId, head: number) => boolean
  /** What a session looks like now; undefined if it is gone. One look of a session comes after the other. */
  readonly seen: (id: SessionId, look: SessionLook | undefined) => Promise<void>
}

/** Without pokes, everything that matters is asked for this often, in one question. */
const POLL_MS = 250
/** With them, too, but seldom: a poke may get lost. */
const CHECK_MS = 5000
/** Pokes that come together are answered with one question. */
const GATHER_MS = 5
const MOST_AT_ONCE = 500

export function createWatcher({ pokes, watch }: Pick<NodePorts, 'pokes' | 'watch'>, onBug: (cause: unknown) => void): Watcher {
  const waiting = new Set<SessionId>()
  const stopping = new AbortController()
  /** Ends at once when this node stops: a process waits for no timer that does not keep it alive. */
  const rest = (ms: number): Promise<void> => pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
  let wake: () => void = () => {}
  let watched: Watched = { sessions: () => [], matters: () => false, seen: async () => {} }
  let listening: { readonly stop: () => Promise<void> } | undefined
  let running: Promise<unknown> = Promise.resolve()

  const look = (id: SessionId): void => {
    waiting.add(id)
    wake()
  }
  const lookAtAll = (): void => {
    for (const id of watched.sessions()) waiting.add(id)
    if (waiting.size > 0) wake()
  }

  const answer = async (): Promise<void> => {
    const ids = [...waiting].slice(0, MOST_AT_ONCE)
    for (const id of ids) waiting.delete(id)
    const found = await watch.looks(ids)
    if (!found.ok) {
      // Asked again with the next poke, or at the next check.
      await rest(POLL_MS)
      for (const id of ids) waiting.add(id)
      return
    }
    await Promise.all(ids.map(id => watched.seen(id, found.value.get(id)).catch(onBug)))
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (waiting.size === 0) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
        await rest(GATHER_MS)
        continue
      }
      await answer().catch(onBug)
    }
  }

  const check = async (): Promise<void> => {
    for (let checked = performance.now(); !stopping.signal.aborted; ) {
      await rest(POLL_MS)
      if (pokes.arrive() && performance.now() - checked < CHECK_MS) continue
      checked = performance.now()
      lookAtAll()
    }
  }

  return {
    look,
    begin: given => {
      watched = given
      listening = pokes.listen((id, head) => {
        if (watched.matters(id, head)) look(id)
      }, lookAtAll)
      running = Promise.all([run(), check()])
      running.catch(onBug)
    },
    stop: async () => {
      stopping.abort()
      wake()
      await listening?.stop()
      await running
    },
  }
}
