import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A code that lets one more chat in; an operator makes it, whoever has it says `/pair CODE` to the bot. */
export type Pairing = { readonly code: string; readonly expiresAt: string }

export type Pairings = {
  readonly make: () => Result<Pairing, Fault>
  /** How many codes wait to be said. */
  readonly count: () => number
  /** A chat says a code. One that was wrong too often is not even listened to. */
  readonly said: (chat: number, code: string) => 'wrong' | 'silence' | Right
}

/** The code is used up, unless it could not be used after all. */
export type Right = { readonly putBack: () => void }

/** No letter or digit that can be taken for another. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const LENGTH = 8
const LIFE_MS = 10 * 60_000
const MOST_PENDING = 3
const MOST_WRONG = 5
const SILENCE_MS = 3_600_000
/** More chats than this are nobody's friends. */
const MOST_CHATS = 10_000

/** Codes live in memory: one that a restart takes away is made again. */
export function createPairings(clock: () => number = Date.now): Pairings {
  let pending: readonly (Pairing & { readonly digest: Buffer })[] = []
  const wrong = new Map<number, { readonly count: number; readonly until: number }>()
  const prune = (): void => {
    pending = pending.filter(({ expiresAt }) => Date.parse(expiresAt) > clock())
  }
  return {
    make: () => {
      prune()
      if (pending.length >= MOST_PENDING)
        return err(fault('conflict', `${MOST_PENDING} codes wait already; use one of them, or wait until one expires`))
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
      const pairing = { code, expiresAt: new Date(clock() + LIFE_MS).toISOString() }
      pending = [...pending, { ...pairing, digest: digestOf(code) }]
      return ok(pairing)
    },
    count: () => {
      prune()
      return pending.length
    },
    said: (chat, code) => {
      const now = clock()
      const before = wrong.get(chat)
      const tries = before !== undefined && before.until > now ? before : { count: 0, until: now + SILENCE_MS }
      if (tries.count >= MOST_WRONG) return 'silence'
      prune()
      const given = digestOf(code.replace(/[\s-]/g, '').toUpperCase())
      // Every code is compared, and each in the same time, so that nothing is learned from how long it takes.
      const right = pending.filter(({ digest }) => timingSafeEqual(digest, given))
      if (right.length > 0) {
        pending = pending.filter(each => !right.includes(each))
        wrong.delete(chat)
        return {
          putBack: () => {
            pending = [...pending, ...right]
          },
        }
      }
      if (wrong.size >= MOST_CHATS && before === undefined) return 'silence'
      wrong.set(chat, { ...tries, count: tries.count + 1 })
      return 'wrong'
    },
  }
}

const digestOf = (code: string): Buffer => createHash('sha256').update(code).digest()
