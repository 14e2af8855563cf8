/** Ways to choose the shard of a session by the hash of its id. */
import { mixed } from './sessions.ts'

/** A way to place sessions on some shards, and the same when one more is added to them. */
export type Placement = {
  readonly name: string
  /** The shard of a hash, of `shards` many and of one more. */
  readonly on: (shards: number) => readonly [before: Place, after: Place]
}
export type Place = (hash: number) => number

const POINTS = 128
const BUCKETS = 4096

export const PLACEMENTS: readonly Placement[] = [
  { name: 'modulo', on: shards => [hash => hash % shards, hash => hash % (shards + 1)] },
  { name: `ring, ${POINTS} points a shard`, on: shards => [ring(shards), ring(shards + 1)] },
  { name: 'rendezvous', on: shards => [rendezvous(shards), rendezvous(shards + 1)] },
  {
    name: `${BUCKETS.toLocaleString('en')} buckets`,
    on: shards => {
      const before = dealt(shards)
      return [inBuckets(before), inBuckets(withOneMore(before, shards))]
    },
  },
]

/** Consistent hashing: a shard has what lies before each of its points. */
function ring(shards: number): Place {
  const points = Array.from({ length: shards * POINTS }, (_, index) => ({
    at: mixed(index + 1),
    shard: Math.floor(index / POINTS),
  })).sort((a, b) => a.at - b.at)
  const places = Uint32Array.from(points, ({ at }) => at)
  return hash => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((places[middle] ?? 0) < hash) low = middle + 1
      else high = middle
    }
    return points[low % points.length]?.shard ?? 0
  }
}

/** Each shard draws a number for each session, and the highest has it. */
function rendezvous(shards: number): Place {
  const seeds = Uint32Array.from({ length: shards }, (_, shard) => mixed(shard + 1))
  return hash => {
    let best = 0
    let highest = -1
    for (let shard = 0; shard < shards; shard += 1) {
      const drawn = mixed(hash ^ (seeds[shard] ?? 0))
      if (drawn > highest) {
        highest = drawn
        best = shard
      }
    }
    return best
  }
}

/** A fixed number of buckets, far more than shards; a table says where each is. */
const inBuckets =
  (table: Uint16Array): Place =>
  hash =>
    table[hash % BUCKETS] ?? 0

const dealt = (shards: number): Uint16Array => Uint16Array.from({ length: BUCKETS }, (_, bucket) => bucket % shards)

/** The new shard takes its part of the buckets from all others in turn; no other bucket moves. */
function withOneMore(table: Uint16Array, shards: number): Uint16Array {
  const moved = Uint16Array.from(table)
  const owned = Array.from({ length: shards }, (_, shard): number[] =>
    [...table.keys()].filter(bucket => table[bucket] === shard),
  )
  for (let taken = 0; taken < Math.floor(BUCKETS / (shards + 1)); taken += 1) {
    const bucket = owned[taken % shards]?.pop()
    if (bucket !== undefined) moved[bucket] = shards
  }
  return moved
}
