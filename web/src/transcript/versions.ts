// Works out which versions exist after each row of a conversation.
import type { Session } from '../../../src/model/session.ts'

/** A session of a family, as far as its versions need it. */
export type Member = Pick<Session, 'id' | 'parent' | 'createdAt' | 'updatedAt'>

/** The versions of what follows a point; `sessions` says where each leads, `index` which one is being read. */
export type Versions = { readonly index: number; readonly sessions: readonly string[] }

/** Which events a session has: its own without limit, its parent's up to the fork, and so on. */
type Line = ReadonlyMap<string, number>

/**
 * For every row that has other versions of itself: which they are. `rows` are the seqs at which rows begin, in order. Versions
 * come in the order in which they were made; each leads to the session with the newest message.
 */
export function versionsOf(family: readonly Member[], current: string, rows: readonly number[]): ReadonlyMap<number, Versions> {
  const members = new Map(family.map(member => [String(member.id), member]))
  const own = members.get(current)
  if (own === undefined) return new Map()
  const lines = new Map(family.map(member => [String(member.id), lineOf(member, members)]))
  const shared = (one: string, other: string): number | null => common(lines.get(one), lines.get(other))
  // What two sessions have in common is everything up to a point; where that is in front of a row, the row has versions.
  const points = family.flatMap(({ id }) => {
    const at = id === current ? null : shared(current, id)
    const row = at === null ? undefined : rows.find(seq => seq > at)
    return at === null || row === undefined ? [] : [{ at, row }]
  })
  const found = new Map<number, Versions>()
  for (const row of new Set(points.map(point => point.row))) {
    const here = points.filter(point => point.row === row).map(({ at }) => at)
    const from = Math.min(...here)
    const through = Math.max(...here)
    const going = [own, ...family.filter(({ id }) => id !== current && (shared(current, id) ?? -1) >= from)]
    const versions = grouped(going, (one, other) => (shared(one.id, other.id) ?? -1) > through).sort(byBirth)
    if (versions.length < 2) continue
    found.set(row, {
      index: versions.findIndex(version => version.includes(own)),
      sessions: versions.map(version => (version.includes(own) ? current : latest(version))),
    })
  }
  return found
}

/** A parent that was deleted ends the line, but its other children still share what they had from it. */
function lineOf(member: Member, members: ReadonlyMap<string, Member>): Line {
  const line = new Map<string, number>([[member.id, Number.POSITIVE_INFINITY]])
  let most = Number.POSITIVE_INFINITY
  for (let each: Member | undefined = member; each?.parent !== undefined; each = members.get(each.parent.session)) {
    if (line.has(each.parent.session)) break
    most = Math.min(most, each.parent.at)
    line.set(each.parent.session, most)
  }
  return line
}

/** The last seq that two sessions share; null if that is unknown. */
function common(one: Line | undefined, other: Line | undefined): number | null {
  if (one === undefined || other === undefined) return null
  // The nearest ancestor comes first, and shares the most.
  for (const [id, most] of one) {
    const others = other.get(id)
    if (others !== undefined) return Math.min(most, others)
  }
  return null
}

function grouped(members: readonly Member[], isSame: (one: Member, other: Member) => boolean): Member[][] {
  const groups: Member[][] = []
  for (const member of members) {
    const group = groups.find(([first]) => first !== undefined && isSame(first, member))
    if (group === undefined) groups.push([member])
    else group.push(member)
  }
  return groups
}

const firstBorn = (version: readonly Member[]): string =>
  version.map(({ createdAt, id }) => `${createdAt} ${id}`).reduce((least, each) => (each < least ? each : least))

const byBirth = (one: readonly Member[], other: readonly Member[]): number => (firstBorn(one) < firstBorn(other) ? -1 : 1)

const latest = (version: readonly Member[]): string =>
  version.reduce((last, member) => (member.updatedAt > last.updatedAt ? member : last)).id
