/** The open ledgers: one for each session in which turns run, however many they are. */

import type { Standing } from '../../log/ports.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Tenure } from '../nodes/ownership.ts'
import type { Services } from '../services.ts'
import { type Ledger, openLedger } from './ledger.ts'

export type Ledgers = {
  /** For a turn that runs under a tenure, which may be over by now: then nothing of it is written. */
  readonly take: (
    session: SessionId,
    standing: Standing,
    tenure: Tenure,
  ) => { readonly ledger: Ledger; readonly leave: () => void }
  readonly of: (session: SessionId) => Ledger | undefined
  readonly giveUp: () => void
}

export function createLedgers({
  log,
  feed,
  mint,
  clock,
  observe,
}: Pick<Services, 'log' | 'feed' | 'mint' | 'clock' | 'observe'>): Ledgers {
  const onBug = (cause: unknown): void => observe({ type: 'bug', cause })
  const open = new Map<SessionId, { readonly ledger: Ledger; readonly fence: number | undefined; users: number }>()
  return {
    take: (session, standing, { fence }) => {
      const known = open.get(session)
      // A turn that began under an older lease never writes under a newer one, and no later turn writes with its ledger.
      const shared =
        known?.fence === fence && known !== undefined
          ? known
          : { ledger: openLedger({ log, feed, session, standing, mint, clock, onBug, fence }), fence, users: 0 }
      open.set(session, shared)
      shared.users += 1
      shared.ledger.seen(standing)
      return {
        ledger: shared.ledger,
        leave: () => {
          shared.users -= 1
          if (shared.users === 0 && open.get(session) === shared) open.delete(session)
        },
      }
    },
    of: session => open.get(session)?.ledger,
    giveUp: () => {
      for (const { ledger } of open.values()) ledger.giveUp()
    },
  }
}
