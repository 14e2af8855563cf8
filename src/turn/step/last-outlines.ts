/** Remembers the outline of each voice's last request, so that the next one can be compared with it. */
import type { SessionId } from '../../model/ids.ts'
import type { OutlineItem } from '../../model/plan.ts'
import type { VoiceId } from '../../model/voice.ts'
import { rebuild } from '../inspect/rebuild.ts'
import type { Services } from '../services.ts'

/** What each voice was last sent, to compare the next request with. */
export type Outlines = {
  readonly before: (session: SessionId, voice: VoiceId) => Promise<readonly OutlineItem[] | undefined>
  readonly keep: (session: SessionId, voice: VoiceId, outline: readonly OutlineItem[]) => void
}

const MOST = 2000
/** How many of a voice's requests are looked at for one that was built from its whole past. */
const LOOK_BACK = 10

/** From memory; after a restart built again from the log, once. */
export function createOutlines(services: Services): Outlines {
  const known = new Map<string, readonly OutlineItem[]>()
  const keep: Outlines['keep'] = (session, voice, outline) => {
    if (known.size >= MOST) known.clear()
    known.set(`${session} ${voice}`, outline)
  }
  return {
    keep,
    before: async (session, voice) => {
      const kept = known.get(`${session} ${voice}`)
      if (kept !== undefined) return kept
      const planned = await services.log.planned(session, LOOK_BACK, { voice })
      const last = planned.ok ? planned.value.find(({ receipt }) => receipt.degraded === null) : undefined
      if (last === undefined) return undefined
      const rebuilt = await rebuild(services, session, last.receipt, last.step)
      if (!rebuilt.ok || rebuilt.value.verdict === 'not-comparable') return undefined
      // It may have been sent something newer while this was read.
      if (!known.has(`${session} ${voice}`)) keep(session, voice, rebuilt.value.outline)
      return rebuilt.value.outline
    },
  }
}
