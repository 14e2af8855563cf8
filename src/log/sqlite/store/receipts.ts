/** Keeps the receipts of stateless requests, and finds any receipt by its id. */

import type { Fault } from '../../../model/fault.ts'
import type { ReceiptId, SessionId } from '../../../model/ids.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_RECEIPT } from '../../faults.ts'
import type { EndedReply, KeptReceipt } from '../../ports.ts'
import { EVENT, type EventRow, eventOf } from '../../rows.ts'
import { receiptOfBody } from '../../stored-bodies.ts'
import type { Tables } from './rows.ts'
import { countUse } from './usage.ts'

/** The receipt of a request whose conversation is not kept, stamped by the caller. */
export type AccountRequest = {
  readonly id: ReceiptId
  readonly receipt: Receipt
  readonly reply?: EndedReply
  readonly at: string
}

export type SqliteReceipts = {
  readonly account: (request: AccountRequest) => Result<null, Fault>
  readonly receipt: (id: ReceiptId) => Result<KeptReceipt, Fault>
}

export function sqliteReceipts(tables: Tables): SqliteReceipts {
  const { row, run } = tables
  return {
    account: ({ id, receipt, reply, at }) => {
      run('insert into receipts values (?, ?) on conflict do update set body = excluded.body', ...[id, JSON.stringify(receipt)])
      if (reply !== undefined) countUse(tables, '', reply, at)
      return ok(null)
    },
    receipt: id => {
      const kept = row<{ body: string }>('select body from receipts where id = ?', id)
      const alone = kept === undefined ? undefined : receiptOfBody(kept.body)
      if (alone !== undefined) return ok({ receipt: alone })
      // The session must be findable: one that is being imported or removed has events here too. A fork has its parent's
      // receipts under the same ids, so the first is the one that was really sent, as long as it is there.
      const found = row<EventRow & { session: SessionId }>(
        `select session, ${EVENT} from events
         where type = 'context.planned' and case when json_valid(body) then body ->> '$.receipt.id' end = ?
           and exists (select 1 from findable where findable.id = session)
         order by events.id limit 1`,
        id,
      )
      const event = found === undefined ? undefined : eventOf(found.session, found)
      if (event?.type !== 'context.planned') return err(NO_RECEIPT)
      const { receipt, session, turn, step } = event
      return ok({ receipt, session, turn, step })
    },
  }
}
