// Keeps one MCP server connected, and reconnects it when it goes down.
import { setTimeout as pause } from 'node:timers/promises'
import { doubledWait } from '../../model/back-off.ts'
import type { ApproveRules } from '../approve-rules.ts'
import type { Tool } from '../toolbox.ts'
import { type Connection, connect, MOST_TOOLS, type ServerAddress } from './connect.ts'
import { serverFacts, type Variables } from './facts.ts'
import { type Failure, failureOf, type Library, UNKNOWN_PERSON } from './failure.ts'
import { listingOf } from './listing.ts'
import type { Offers } from './offers.ts'
import type { ServerLog } from './server-log.ts'
import { createServerTools, type ListedOffer } from './server-tools.ts'
import type { SignedIn } from './sign-ins.ts'

export type ServerOptions = {
  readonly name: string
  readonly place: ServerAddress
  readonly library: Promise<Library>
  readonly variables: Variables
  readonly say: (text: string) => void
  readonly log: ServerLog
  readonly callMs: number
  readonly connectMs: number
  /** How long others wait for the first answer. */
  readonly readyMs: number
  /** The first and the longest wait before a server is tried again. */
  readonly backoff: { readonly firstMs: number; readonly mostMs: number }
  /** What must be over before the server is started, such as the one in whose place it comes. */
  readonly after?: Promise<void>
  /** Takes secrets out of what the server said. */
  readonly hide: (text: string) => string
  /** Gives the token of a person's sign-in. Without it a server that asks for one is simply down. */
  readonly authProvider?: (library: Library) => SignedIn
}

/** Between two looks at a server whose lists change all the time. */
const LIST_PAUSE_MS = 200

export type ServerState = 'starting' | 'ready' | 'down' | 'sign-in'

export type ServerStanding = {
  readonly state: ServerState
  /** What is wrong, in one sentence. */
  readonly message: string | null
  readonly since: string
  /** How often it was started or reached for again. */
  readonly restarts: number
  readonly resources: number
  readonly prompts: number
}

/** One server, for as long as we want it. While it is down, it is tried again. */
export type Server = {
  readonly tools: (approve: ApproveRules) => readonly Tool[]
  readonly troubles: () => readonly string[]
  readonly standing: () => ServerStanding
  /** Resources and prompts, while the server is connected. */
  readonly offers: () => Offers | undefined
  /** Looks whether the server is still there. */
  readonly doubt: () => void
  /** Resolves when the server is up or was found to be down, and in any case soon. */
  readonly ready: () => Promise<void>
  /** Ends the connection, if there is one, and connects at once. */
  readonly restart: () => void
  readonly close: () => Promise<void>
}

export function keepServer(options: ServerOptions): Server {
  const { name, place, variables, say, log, callMs, connectMs, backoff } = options
  const closing = new AbortController()
  let round = new AbortController()
  let first = firstAnswer(options.readyMs)
  let connection: Connection | undefined
  let listed: readonly ListedOffer[] = []
  let troubles: readonly string[] = [`the MCP server "${name}" has not answered yet`]
  let isSaidDown = false
  let refreshing: Promise<void> | undefined
  let isStirred = false
  let dropped: Failure | undefined
  let standing: ServerStanding = {
    state: 'starting',
    message: null,
    since: new Date().toISOString(),
    restarts: 0,
    resources: 0,
    prompts: 0,
  }
  const become = (state: ServerState, message: string | null): void => {
    const isNew = state !== standing.state
    if (isNew || message !== standing.message) log.say(message === null ? state : `${state}: ${message}`)
    standing = { ...standing, state, message, ...(isNew ? { since: new Date().toISOString() } : {}) }
  }

  const show = async (from: Connection): Promise<void> => {
    const { described, isCut } = await from.list()
    if (connection !== from) return
    const { offered, leftOut } = listingOf(name, described)
    const cut = isCut ? [`it has more tools than are used; the first ${MOST_TOOLS} are`] : []
    listed = offered.map(each => ({ offered: each, facts: serverFacts(name, place, each, variables) }))
    const remarks = [...cut, ...leftOut].map(remark => `the MCP server "${name}": ${remark}`)
    for (const remark of remarks) if (!troubles.includes(remark)) say(remark)
    troubles = remarks
    become('ready', [...cut, ...leftOut].slice(0, 3).join('; ') || null)
    // Nothing waits for the counts, and a server that cannot say them has none.
    void countOffers(from)
  }
  /** One count at a time for each connection, and once more if its lists changed meanwhile. */
  let counted: { readonly of: Connection; isStale: boolean } | undefined
  const countOffers = async (from: Connection): Promise<void> => {
    if (counted?.of === from) {
      counted.isStale = true
      return
    }
    const count = { of: from, isStale: false }
    counted = count
    const none = (): readonly never[] => []
    do {
      count.isStale = false
      const [resources, prompts] = await Promise.all([from.offers.resources().catch(none), from.offers.prompts().catch(none)])
      if (connection === from) standing = { ...standing, resources: resources.length, prompts: prompts.length }
    } while (count.isStale && connection === from)
    if (counted === count) counted = undefined
  }

  /** Lists the tools again, and once more if they changed meanwhile. A server that cannot list its tools counts as gone. */
  const refresh = (): void => {
    isStirred = true
    refreshing ??= catchUp().finally(() => {
      refreshing = undefined
    })
  }
  const catchUp = async (): Promise<void> => {
    while (isStirred && connection !== undefined) {
      isStirred = false
      const asked = connection
      try {
        await show(asked)
        // A server that says without end that its lists have changed is looked at now and then.
        if (isStirred) await pause(LIST_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => undefined)
      } catch (cause) {
        const failure = failureOf(await options.library, cause)
        const { kind, why } = failure
        const isBusy = kind === 'late' && calls.isBusy()
        if (kind === 'refused' || kind === 'garbled' || isBusy) continue
        dropped = failure
        asked.drop(why)
      }
    }
  }
  const calls = createServerTools({
    name,
    library: options.library,
    callMs,
    connection: () => connection,
    listed: () => listed,
    onDoubt: refresh,
  })

  /** Connects and stays until the connection is over. Returns the reason. */
  const stay = async (library: Library, signal: AbortSignal): Promise<Pick<Failure, 'why'> & Partial<Failure>> => {
    let begun: Connection | undefined
    dropped = undefined
    try {
      begun = await connect(library, {
        place: place.kind === 'process' ? { ...place, onComplaint: log.hear } : place,
        connectMs,
        onStir: refresh,
        signal,
        ...(options.authProvider === undefined ? {} : { authProvider: options.authProvider(library) }),
      })
      connection = begun
      await show(begun)
      if (isSaidDown) say(`the MCP server "${name}" is back`)
      isSaidDown = false
      first.resolve()
      const why = await begun.lost
      return dropped ?? { why }
    } catch (cause) {
      return failureOf(library, cause)
    } finally {
      connection = undefined
      listed = []
      standing = { ...standing, resources: 0, prompts: 0 }
      await begun?.close()
      log.end()
      await refreshing
    }
  }

  const live = async (): Promise<void> => {
    await options.after
    const library = await options.library
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      if (round.signal.aborted) {
        round = new AbortController()
        failures = 0
      }
      const either = AbortSignal.any([closing.signal, round.signal])
      const began = performance.now()
      const { why: said, kind } = await stay(library, either)
      const why = options.hide(said)
      if (closing.signal.aborted) return
      if (!either.aborted) {
        const wantsPerson = kind === 'unknown-person' && options.authProvider !== undefined
        const wish = why === UNKNOWN_PERSON.why ? 'it wants a person to sign in' : why
        const trouble = wantsPerson
          ? `the MCP server "${name}": ${wish}`
          : `the MCP server "${name}" is down: ${why}; it is tried again`
        troubles = [trouble]
        if (!isSaidDown) say(trouble)
        isSaidDown = true
        become(wantsPerson ? 'sign-in' : 'down', wantsPerson ? wish : why)
        first.resolve()
        // A server that ends as soon as it is up is no better than one that does not start.
        if (performance.now() - began > backoff.mostMs) failures = 0
        const waitMs = wantsPerson ? backoff.mostMs : doubledWait(backoff.firstMs, backoff.mostMs, failures)
        await pause(waitMs, undefined, { signal: either }).catch(() => undefined)
      }
      standing = { ...standing, restarts: standing.restarts + 1 }
    }
  }

  // A bug with one server must cost only that server.
  const life = live().catch((bug: unknown) => {
    troubles = [`the MCP server "${name}" is given up: ${bug instanceof Error ? bug.message : String(bug)}`]
    for (const trouble of troubles) say(trouble)
    become('down', 'it is given up because of a bug')
    first.resolve()
  })
  return {
    tools: approve => listed.map(each => calls.toolOf(each, approve)),
    troubles: () => troubles,
    standing: () => standing,
    offers: () => connection?.offers,
    doubt: refresh,
    ready: () => first.promise,
    restart: () => {
      if (closing.signal.aborted) return
      first.resolve()
      first = firstAnswer(options.readyMs)
      troubles = [`the MCP server "${name}" has not answered yet`]
      become('starting', 'it is started again')
      round.abort()
    },
    close: async () => {
      closing.abort()
      await life
      first.resolve()
    },
  }
}

/** A promise that is kept at the latest after some time, and leaves no timer behind when it is kept earlier. */
function firstAnswer(withinMs: number): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, withinMs)
  return {
    promise,
    resolve: () => {
      clearTimeout(late)
      resolve()
    },
  }
}
