/** The open ledgers: one for each session in which turns run, however many they are. */

import type { Standing } from '../../log/ports.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Services } from '../services.ts'
import { type Ledger, openLedger } from './ledger.ts'

export type Ledgers = {
  readonly take: (session: SessionId, standing: Standing) => { readonly ledger: Ledger; readonly leave: () => void }
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
  const open = new Map<SessionId, { readonly ledger: Ledger; users: number }>()
  return {
    take: (session, standing) => {
      const shared = open.get(session) ?? { ledger: openLedger({ log, feed, session, standing, mint, clock, onBug }), users: 0 }
      open.set(session, shared)
      shared.users += 1
      shared.ledger.seen(standing)
      return {
        ledger: shared.ledger,
        leave: () => {
          shared.users -= 1
          if (shared.users === 0) open.delete(session)
        },
      }
    },
    of: session => open.get(session)?.ledger,
    giveUp: () => {
      for (const { ledger } of open.values()) ledger.giveUp()
    },
  }
}
