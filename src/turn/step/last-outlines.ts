/** Remembers the outline of each voice's last request and how much it showed, so that the next one can be compared with it. */
import { type ShownBefore, seenIn } from '../../context/receipt/seen.ts'
import type { Planned } from '../../log/ports.ts'
import type { SessionId } from '../../model/ids.ts'
import type { OutlineItem } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import type { VoiceId } from '../../model/voice.ts'
import { rebuild } from '../inspect/rebuild.ts'
import type { Services } from '../services.ts'

/** What each voice was last sent, to compare the next request with. */
export type Outlines = {
  readonly before: (session: SessionId, voice: VoiceId) => Promise<readonly OutlineItem[] | undefined>
  /** How much of the conversation that showed; null if the voice was not asked before, undefined if the log does not say. */
  readonly shown: (session: SessionId, voice: VoiceId) => Promise<ShownBefore | null | undefined>
  readonly keep: (session: SessionId, voice: VoiceId, outline: readonly OutlineItem[], receipt: Receipt) => void
  /** Another node has sent requests of a session: the log knows them. */
  readonly forget: (session: SessionId) => void
}

const MOST = 2000
/** How many of a voice's requests are looked at for one that was built from its whole past. */
const LOOK_BACK = 10

/** From memory; after a restart built again from the log, once. */
export function createOutlines(services: Services): Outlines {
  const known = new Map<string, readonly OutlineItem[]>()
  const windows = new Map<string, ShownBefore>()
  const keepOutline = (key: string, outline: readonly OutlineItem[]): void => {
    if (known.size >= MOST) known.clear()
    known.set(key, outline)
  }
  const keepWindow = (key: string, receipt: Receipt): ShownBefore => {
    // Its lines are no longer needed once they are counted.
    const shown: ShownBefore = { window: receipt.window, seen: seenIn(receipt), in: [], out: [] }
    if (windows.size >= MOST) windows.clear()
    windows.set(key, shown)
    return shown
  }
  return {
    keep: (session, voice, outline, receipt) => {
      // A narrowed window was for one turn: the cache has the request before it, and the next one goes on from there.
      if (receipt.window.narrowed !== true || !known.has(`${session} ${voice}`)) keepOutline(`${session} ${voice}`, outline)
      // A request without its history says nothing of how much of it fits.
      if (receipt.degraded === null) keepWindow(`${session} ${voice}`, receipt)
    },
    forget: session => {
      for (const kept of [known, windows]) for (const key of kept.keys()) if (key.startsWith(`${session} `)) kept.delete(key)
    },
    shown: async (session, voice) => {
      const key = `${session} ${voice}`
      const kept = windows.get(key)
      if (kept !== undefined) return kept
      const planned = await services.log.planned(session, LOOK_BACK)
      if (!planned.ok) return undefined
      const last = planned.value.find(({ receipt }) => receipt.voice === voice && receipt.degraded === null)
      // The voice may have been sent something newer while this was read.
      return windows.get(key) ?? (last === undefined ? null : keepWindow(key, last.receipt))
    },
    before: async (session, voice) => {
      const kept = known.get(`${session} ${voice}`)
      if (kept !== undefined) return kept
      const planned = await services.log.planned(session, LOOK_BACK, { voice })
      const last = planned.ok ? planned.value.find(isComparable) : undefined
      if (last === undefined) return undefined
      const rebuilt = await rebuild(services, session, last.receipt, last.step)
      if (!rebuilt.ok || rebuilt.value.verdict === 'not-comparable') return undefined
      // It may have been sent something newer while this was read.
      if (!known.has(`${session} ${voice}`)) keepOutline(`${session} ${voice}`, rebuilt.value.outline)
      return rebuilt.value.outline
    },
  }
}

const isComparable = ({ receipt }: Planned): boolean => receipt.degraded === null && receipt.window.narrowed !== true
