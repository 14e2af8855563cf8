// Edits a council: import, hide, remove advisors.
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Advisor, Council } from '../../model/settings/council.ts'
import { isTaken } from './colors.ts'
import { completed, type WrittenAdvisor } from './councils-file.ts'

/**
 * Imports advisors. One with a known id replaces that advisor and keeps its color unless it brings another. New ones come last
 * and never in a color that is taken.
 */
export function imported(council: Council, advisors: readonly WrittenAdvisor[]): Council {
  const known = new Set(council.advisors.map(({ id }) => id))
  const incoming = new Map(advisors.map(advisor => [advisor.id ?? '', advisor]))
  const kept = council.advisors.map(({ color, ...rest }): WrittenAdvisor => ({ color, ...(incoming.get(rest.id) ?? rest) }))
  const taken = kept.flatMap(({ color }) => color ?? [])
  const fresh = advisors
    .filter(({ id }) => id === undefined || !known.has(id))
    .map((advisor): WrittenAdvisor => {
      const { color, ...rest } = advisor
      if (color === undefined || isTaken(color, taken)) return rest
      taken.push(color)
      return advisor
    })
  return { ...council, advisors: completed([...kept, ...fresh]) }
}

/** Lets an advisor answer every message, or only those that name it. */
export function withActive(council: Council, wanted: string, active: boolean): Result<Council, Fault> {
  const found = advisorNamed(council, wanted)
  if (!found.ok) return found
  return ok({
    ...council,
    advisors: council.advisors.map(advisor => (advisor === found.value ? { ...advisor, active } : advisor)),
  })
}

/** Removes an advisor; refuses to remove the last one. */
export function withoutAdvisor(council: Council, wanted: string): Result<Council, Fault> {
  const found = advisorNamed(council, wanted)
  if (!found.ok) return found
  const advisors = council.advisors.filter(advisor => advisor !== found.value)
  if (advisors.length > 0) return ok({ ...council, advisors })
  return err(fault('invalid', `"${found.value.id}" is the last one in the council; add another first, or hide it`))
}

/** Finds an advisor by its id, or by its name if only one has it. */
export function advisorNamed({ key, advisors }: Council, wanted: string): Result<Advisor, Fault> {
  const exact = advisors.find(({ id }) => id === wanted)
  if (exact !== undefined) return ok(exact)
  const [named, ...more] = advisors.filter(({ name }) => name.toLowerCase() === wanted.trim().toLowerCase())
  if (named !== undefined && more.length === 0) return ok(named)
  const known = (named === undefined ? advisors : [named, ...more]).map(({ id }) => id).join(', ')
  if (named === undefined) return err(fault('not-found', `there is no advisor "${wanted}" in "${key}"; known: ${known}`))
  return err(fault('invalid', `more than one in "${key}" is called "${wanted}"; say which by its id: ${known}`))
}
