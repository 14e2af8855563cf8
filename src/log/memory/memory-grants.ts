/** Grants in memory, and the way to forget those of a deleted session. */

import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { NO_GRANT, NO_SESSION } from '../faults.ts'
import type { Grant, Grants, KeptGrant } from '../ports.ts'

export function memoryGrants(
  clock: () => number,
  isKnown: (id: SessionId) => boolean,
): { readonly grants: Grants; readonly forget: (session: SessionId) => void } {
  const kept = new Map<string, KeptGrant>()
  let last = 0
  const isSame = (one: Omit<Grant, 'facts'>, { tool, binding, session }: Omit<Grant, 'facts'>): boolean =>
    one.tool === tool && one.binding === binding && one.session === session
  const hasOne = (tool: string, binding: string, session: SessionId | null): boolean =>
    [...kept.values()].some(grant => isSame(grant, { tool, binding, session }))
  return {
    grants: {
      add: async grant => {
        if (grant.session !== null && !isKnown(grant.session)) return err(NO_SESSION)
        if (hasOne(grant.tool, grant.binding, grant.session)) return ok(null)
        last += 1
        const id = String(last)
        kept.set(id, { ...structuredClone(grant), id, at: new Date(clock()).toISOString() })
        return ok(null)
      },
      has: async (tool, binding, session) =>
        ok(hasOne(tool, binding, null) || (session !== null && hasOne(tool, binding, session))),
      list: async () => ok([...kept.values()]),
      remove: async id => (kept.delete(id) ? ok(null) : err(NO_GRANT)),
    },
    forget: session => {
      for (const { id, session: of } of [...kept.values()]) if (of === session) kept.delete(id)
    },
  }
}
