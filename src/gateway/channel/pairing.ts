/** Pairing codes: what lets one more chat talk to a channel, for ten minutes and once. */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A code that lets one more chat in: an operator makes it, and a person writes `/pair CODE` to the bot. */
export type Pairing = { readonly code: string; readonly expiresAt: string }

export type Pairings = {
  readonly make: () => Result<Pairing, Fault>
  /** How many codes are unused. */
  readonly count: () => number
  /** A chat gives a code. After too many wrong ones it gets silence, also for a right one. */
  readonly tryCode: (chat: string, code: string) => 'wrong' | 'silence' | RightCode
}

/** The code is used up, until it is put back because the chat could not be paired. */
export type RightCode = { readonly putBack: () => void }

/** No letter or digit that can be taken for another. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const LENGTH = 8
const LIFE_MS = 10 * 60_000
const MOST_PENDING = 3
const MOST_WRONG = 5
const SILENCE_MS = 3_600_000
/** Wrong codes of so many chats are counted; more chats at once get silence. */
const MOST_CHATS = 10_000

/** Codes live in memory alone: after a restart the operator makes a new one. */
export function createPairings(clock: () => number = Date.now): Pairings {
  let pending: readonly (Pairing & { readonly digest: Buffer })[] = []
  const wrong = new Map<string, { readonly count: number; readonly until: number }>()
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
    tryCode: (chat, code) => {
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
