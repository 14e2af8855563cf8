/** A log as one of several nodes uses it: what a turn writes carries the fence of its session, and other nodes are poked. */
import { isStaleFence } from '../../log/append-rules.ts'
import { LOOK, type NodePorts } from '../../log/node-ports.ts'
import type { Log } from '../../log/ports.ts'
import type { FactType } from '../../model/event.ts'
import type { LeaseKeeper } from './ownership.ts'

/** Facts that any node may write. Everything else belongs to a turn, and only the node that runs it may say it. */
const FROM_ANY_NODE: ReadonlySet<FactType> = new Set<FactType>([
  'message.received',
  'message.marked',
  'session.changed',
  'approval.answered',
])

export function nodeLog(log: Log, { pokes }: Pick<NodePorts, 'pokes'>, owners: Pick<LeaseKeeper, 'refused'>): Log {
  return {
    ...log,
    append: async (id, facts, options = {}) => {
      const isOfTurn = facts.some(({ type }) => !FROM_ANY_NODE.has(type))
      const { fence } = options
      // Who writes them has read its lease. Without one, it would look as if another node had the session, and be tried again.
      if (isOfTurn && fence === undefined) throw new Error(`${id}: facts of a turn without a fence`)
      const appended = await log.append(id, facts, options)
      if (appended.ok) pokes.send(id, appended.value.standing.head)
      else if (fence !== undefined && isStaleFence(appended.fault)) owners.refused(id, fence)
      return appended
    },
    remove: async id => {
      const removed = await log.remove(id)
      // Those who follow it on other nodes hear that it is gone.
      if (removed.ok) pokes.send(id, LOOK)
      return removed
    },
    checkpoint: async (id, checkpoint, fence) => {
      if (fence === undefined) throw new Error(`${id}: a checkpoint without a fence`)
      const kept = await log.checkpoint(id, checkpoint, fence)
      // Nothing new for the node that runs the session; readers elsewhere look at it as a whole.
      if (kept.ok) pokes.send(id, 0)
      else if (isStaleFence(kept.fault)) owners.refused(id, fence)
      return kept
    },
  }
}
