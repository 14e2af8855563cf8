/** Sessions as many people have them: most are hardly used, a few are talked in all day. */

export type Sessions = {
  /** The hash of each session's id. */
  readonly hashes: Uint32Array
  /** Turns a day. */
  readonly turns: Float32Array
}

/** Numbers between 0 and 1, the same for every run with the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    return mixed(state) / 2 ** 32
  }
}

/** Spreads the bits of a number over all of it. */
export function mixed(given: number): number {
  let bits = given
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/**
 * The activity is lognormal: with `spread` 2 the busiest hundredth of all sessions has about 37 % of the turns. Ids are random, so a
 * hash of one is a random number.
 */
export function inventSessions(many: number, meanTurns: number, spread: number, seed: number): Sessions {
  const next = numbersFrom(seed)
  const hashes = new Uint32Array(many)
  const turns = new Float32Array(many)
  const middle = Math.log(meanTurns) - spread ** 2 / 2
  for (let index = 0; index < many; index += 1) {
    hashes[index] = mixed(Math.floor(next() * 2 ** 32))
    const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
    turns[index] = Math.exp(middle + spread * normal)
  }
  return { hashes, turns }
}
