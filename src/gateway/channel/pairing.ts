/** Pairing codes: what lets one more chat talk to a channel, for ten minutes and once. */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A code that lets one more chat in: an operator makes it, and a person writes `/pair CODE` to the bot. */
export type Pairing = { readonly code: string; readonly expiresAt: string }

export type Pairings = {
  readonly make: () => Promise<Result<Pairing, Fault>>
  /** How many codes are unused, as far as this node knows. */
  readonly count: () => number
  /** A chat gives a code. After too many wrong ones it gets silence, also for a right one. */
  readonly tryCode: (chat: string, code: string) => Promise<'wrong' | 'silence' | RightCode>
}

/** The code is used up, until it is put back because the chat could not be paired. */
export type RightCode = { readonly putBack: () => Promise<void> }

/** Keeps codes where all nodes find them: the digest of each, and when it expires. */
export type KeptCodes = {
  readonly list: () => Promise<Result<readonly Code[], Fault>>
  readonly add: (code: Code) => Promise<Result<null, Fault>>
  readonly remove: (code: Code) => Promise<Result<null, Fault>>
}

export type Code = { readonly digest: string; readonly expiresAt: string }

/** No letter or digit that can be taken for another. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const LENGTH = 8
const LIFE_MS = 10 * 60_000
const MOST_PENDING = 3
const MOST_WRONG = 5
const SILENCE_MS = 3_600_000
/** Wrong codes of so many chats are counted; more chats at once get silence. */
const MOST_CHATS = 10_000

/** Codes live in memory alone: after a restart the operator makes a new one. Where several nodes share a channel, the store keeps them. */
export function createPairings(clock: () => number = Date.now, kept?: KeptCodes): Pairings {
  let pending: readonly Code[] = []
  const wrong = new Map<string, { readonly count: number; readonly until: number }>()
  const prune = (): void => {
    pending = pending.filter(({ expiresAt }) => Date.parse(expiresAt) > clock())
  }
  /** Other nodes may have made codes, or used some up. */
  const learn = async (): Promise<Result<null, Fault>> => {
    const listed = await kept?.list()
    if (listed?.ok === false) return listed
    const all = listed?.value ?? pending
    pending = all
    prune()
    for (const code of all.filter(each => !pending.includes(each))) await kept?.remove(code)
    return ok(null)
  }
  return {
    make: async () => {
      const learned = await learn()
      if (!learned.ok) return learned
      if (pending.length >= MOST_PENDING)
        return err(fault('conflict', `${MOST_PENDING} codes wait already; use one of them, or wait until one expires`))
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
      const expiresAt = new Date(clock() + LIFE_MS).toISOString()
      const made = { digest: digestOf(code), expiresAt }
      pending = [...pending, made]
      const added = await kept?.add(made)
      return added?.ok === false ? added : ok({ code, expiresAt })
    },
    count: () => {
      prune()
      return pending.length
    },
    tryCode: async (chat, code) => {
      const now = clock()
      const before = wrong.get(chat)
      const tries = before !== undefined && before.until > now ? before : { count: 0, until: now + SILENCE_MS }
      if (tries.count >= MOST_WRONG) return 'silence'
      await learn()
      prune()
      const given = Buffer.from(digestOf(code.replace(/[\s-]/g, '').toUpperCase()), 'hex')
      // Every code is compared, and each in the same time, so that nothing is learned from how long it takes.
      const right = pending.filter(({ digest }) => timingSafeEqual(Buffer.from(digest, 'hex'), given))
      if (right.length > 0) {
        pending = pending.filter(each => !right.includes(each))
        for (const each of right) await kept?.remove(each)
        wrong.delete(chat)
        return {
          putBack: async () => {
            pending = [...pending, ...right]
            for (const each of right) await kept?.add(each)
          },
        }
      }
      if (wrong.size >= MOST_CHATS && before === undefined) return 'silence'
      wrong.set(chat, { ...tries, count: tries.count + 1 })
      return 'wrong'
    },
  }
}

const DIGEST = /^[0-9a-f]{64}$/
const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/** Codes in the state of a channel. */
export const codesInStore = (engine: Pick<Engine, 'remember' | 'remembered'>, channel: string): KeptCodes => ({
  list: async () => {
    const kept = await engine.remembered(channel, PREFIX)
    if (!kept.ok) return kept
    const codes = [...kept.value].map(([key, expiresAt]) => ({ digest: key.slice(PREFIX.length), expiresAt }))
    return ok(codes.filter(({ digest }) => DIGEST.test(digest)))
  },
  add: ({ digest, expiresAt }) => engine.remember(channel, `${PREFIX}${digest}`, expiresAt),
  remove: ({ digest }) => engine.remember(channel, `${PREFIX}${digest}`, null),
})

const PREFIX = 'pairing:'
