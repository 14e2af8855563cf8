// Shows another request in the inspector.
import { lookHash } from '../view/route.ts'
import type { RequestAt } from '../wire/inspect-api.ts'

/** Shows another request in place of this one. */
export function goTo(session: string, { turn, step }: RequestAt): void {
  location.hash = lookHash(session, { turn, step })
}
