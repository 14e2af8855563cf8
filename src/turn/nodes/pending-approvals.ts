/** The calls that wait for a person on any node, as the log has them. */
import type { SessionWatch } from '../../log/node-ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { ApprovalId } from '../../model/ids.ts'
import { err, mapResult, ok, type Result } from '../../model/result.ts'
import { ANSWERED, type ApprovalAsked, NO_APPROVAL, type Pending, pendingOf } from '../tools/approvals.ts'

export async function pendingEverywhere(watch: SessionWatch): Promise<Result<readonly Pending[], Fault>> {
  return mapResult(await questions(watch), ({ open }) => open.map(pendingOf))
}

/** One that waits, by its id. */
export async function findPending(watch: SessionWatch, id: ApprovalId): Promise<Result<Pending, Fault>> {
  const found = await questions(watch)
  if (!found.ok) return found
  const asked = found.value.open.find(({ approval }) => approval === id)
  if (asked !== undefined) return ok(pendingOf(asked))
  return err(found.value.answered.has(id) ? ANSWERED : NO_APPROVAL)
}

type Questions = { readonly open: readonly ApprovalAsked[]; readonly answered: ReadonlySet<ApprovalId> }

async function questions(watch: SessionWatch): Promise<Result<Questions, Fault>> {
  return mapResult(await watch.approvals(), events => {
    const answered = new Set(events.flatMap(event => (event.type === 'approval.answered' ? [event.approval] : [])))
    const open = events.filter(
      (event): event is ApprovalAsked => event.type === 'approval.asked' && !answered.has(event.approval),
    )
    return { open: open.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), answered }
  })
}
