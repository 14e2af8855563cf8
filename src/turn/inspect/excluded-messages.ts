/** Finds the messages that a person keeps out of every context. */
import { isExcluding, type Recorded } from '../../model/event.ts'

/** The messages that a person keeps out of every context, from all marks of a session. */
export function excludedBy(marks: readonly Recorded[]): ReadonlySet<number> {
  const excluded = new Set<number>()
  for (const event of marks) {
    if (event.type !== 'message.marked') continue
    if (isExcluding(event.mark)) excluded.add(event.target)
    else excluded.delete(event.target)
  }
  return excluded
}
