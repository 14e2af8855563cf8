import type { RunFacts } from '../model/approval.ts'
import type { Fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import { NO_GRANT, NO_SESSION } from './faults.ts'

/** What a person allowed beyond one call: a tool in exactly this form, in one session or (null) in every one. */
export type Grant = {
  readonly tool: string
  /** The hash of everything the answer is bound to. */
  readonly binding: string
  readonly session: SessionId | null
  /** What the person was shown, for people who look at the list. */
  readonly facts: RunFacts
}

/** A grant that is kept. */
export type KeptGrant = Grant & { readonly id: string; readonly at: string }

/**
 * What people allowed, kept beside the log and never read from it: events can be imported, forked and restored, and none
 * of that is a person's word. A session's grants go with the session.
 */
export type Grants = {
  /** The same grant twice is one. A session that is not there cannot be given any. */
  readonly add: (grant: Grant) => Promise<Result<null, Fault>>
  /** Whether a tool in this form is allowed: everywhere, or in this session. */
  readonly has: (tool: string, binding: string, session: SessionId | null) => Promise<Result<boolean, Fault>>
  /** Oldest first. */
  readonly list: () => Promise<Result<readonly KeptGrant[], Fault>>
  /** Takes a grant back; `not-found` where there is none of that id. */
  readonly remove: (id: string) => Promise<Result<null, Fault>>
}

/** Grants that live as long as their process, and the way to forget those of a session that is deleted. */
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
