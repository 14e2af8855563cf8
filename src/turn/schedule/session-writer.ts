/** Appends facts that belong to no running turn, in order with those of the turns. */
import type { AppendOptions, EventLog, Standing } from '../../log/ports.ts'
import type { Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err } from '../../model/result.ts'
import type { Ledgers } from '../durable/ledgers.ts'
import type { Services } from '../services.ts'

/** How long a message may wait for what a turn before it could not save yet. */
const MOST_WAIT_MS = 5000

export type SessionWriter = {
  readonly append: (
    id: SessionId,
    facts: readonly Fact[],
    options?: Pick<AppendOptions, 'expect' | 'key' | 'fence'>,
  ) => ReturnType<EventLog['append']>
  /** Waits until what earlier turns wrote is saved: nothing may be written before it. Gives a fault if that takes too long. */
  readonly inOrder: (id: SessionId) => Promise<Fault | undefined>
  /** Tells followers and running turns that the log of a session has grown. */
  readonly grown: (id: SessionId, standing: Standing) => void
}

export function createSessionWriter(
  { log, feed, mint }: Pick<Services, 'log' | 'feed' | 'mint'>,
  ledgers: Ledgers,
): SessionWriter {
  const inOrder: SessionWriter['inOrder'] = async id => {
    const ledger = ledgers.of(id)
    if (ledger === undefined || ledger.unsaved().length === 0) return undefined
    await ledger.saved(AbortSignal.timeout(MOST_WAIT_MS))
    return ledger.unsaved().length === 0
      ? undefined
      : fault('store', 'earlier events of this session are not saved yet; nothing was lost, try again')
  }
  const grown: SessionWriter['grown'] = (id, standing) => {
    feed.head(id, standing.head)
    ledgers.of(id)?.seen(standing)
  }
  return {
    inOrder,
    grown,
    append: async (id, facts, options = {}) => {
      const trouble = await inOrder(id)
      if (trouble !== undefined) return err(trouble)
      const appended = await log.append(id, facts, { ...options, ids: facts.map(() => mint('evt')) })
      if (appended.ok) grown(id, appended.value.standing)
      return appended
    },
  }
}
