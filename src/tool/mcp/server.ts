// Keeps one MCP server connected, and reconnects it when it goes down.
import { setTimeout as pause } from 'node:timers/promises'
import type { RunFacts } from '../../model/approval.ts'
import { doubledWait } from '../../model/back-off.ts'
import type { Settlement, Tool } from '../toolbox.ts'
import { settlementOfAnswer } from './answer.ts'
import { type Connection, connect, MOST_TOOLS, type ServerAddress } from './connect.ts'
import { serverFacts, type Variables } from './facts.ts'
import { type Failure, failureOf, type Library } from './failure.ts'
import { listingOf, type Offered } from './listing.ts'

export type ServerOptions = {
  readonly name: string
  readonly place: ServerAddress
  readonly library: Promise<Library>
  readonly approve: Readonly<Record<string, Tool['approval']>>
  readonly variables: Variables
  readonly say: (text: string) => void
  readonly callMs: number
  readonly connectMs: number
  /** The first and the longest wait before a server is tried again. */
  readonly backoff: { readonly firstMs: number; readonly mostMs: number }
}

/** One server, for as long as we want it. While it is down, it is tried again. */
export type Server = {
  readonly tools: () => readonly Tool[]
  readonly troubles: () => readonly string[]
  /** Resolves when the server was up for the first time, or was found to be down. */
  readonly answered: Promise<void>
  readonly close: () => Promise<void>
}

export function keepServer(options: ServerOptions): Server {
  const { name, place, approve, variables, say, callMs, connectMs, backoff } = options
  const closing = new AbortController()
  const answered = Promise.withResolvers<void>()
  let connection: Connection | undefined
  let tools: readonly Tool[] = []
  let listed: readonly Offered[] = []
  let troubles: readonly string[] = [`the MCP server "${name}" has not answered yet`]
  let isSaidDown = false
  let refreshing: Promise<void> | undefined
  let isStirred = false
  let underWay = 0

  const show = async (from: Connection): Promise<void> => {
    const { described, isCut } = await from.list()
    if (connection !== from) return
    const { offered, leftOut } = listingOf(name, described)
    const cut = isCut ? [`it has more tools than are used; the first ${MOST_TOOLS} are`] : []
    listed = offered
    tools = offered.map(toolOf)
    const remarks = [...cut, ...leftOut].map(remark => `the MCP server "${name}": ${remark}`)
    for (const remark of remarks) if (!troubles.includes(remark)) say(remark)
    troubles = remarks
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
      } catch (cause) {
        const { kind, why } = failureOf(await options.library, cause)
        const isBusy = kind === 'late' && underWay > 0
        if (kind !== 'refused' && kind !== 'garbled' && !isBusy) asked.drop(why)
      }
    }
  }

  /** Connects and stays until the connection is over. Returns the reason. */
  const stay = async (library: Library): Promise<string> => {
    let begun: Connection | undefined
    try {
      begun = await connect(library, { place, connectMs, onStir: refresh, signal: closing.signal })
      connection = begun
      await show(begun)
      if (isSaidDown) say(`the MCP server "${name}" is back`)
      isSaidDown = false
      answered.resolve()
      return await begun.lost
    } catch (cause) {
      return failureOf(library, cause).why
    } finally {
      connection = undefined
      listed = []
      tools = []
      await begun?.close()
      await refreshing
    }
  }

  const live = async (): Promise<void> => {
    const library = await options.library
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const began = performance.now()
      const why = await stay(library)
      if (closing.signal.aborted) return
      const trouble = `the MCP server "${name}" is down: ${why}; it is tried again`
      troubles = [trouble]
      if (!isSaidDown) say(trouble)
      isSaidDown = true
      answered.resolve()
      // A server that ends as soon as it is up is no better than one that does not start.
      if (performance.now() - began > backoff.mostMs) failures = 0
      await pause(doubledWait(backoff.firstMs, backoff.mostMs, failures), undefined, { signal: closing.signal }).catch(
        () => undefined,
      )
    }
  }

  const factsOf = (offered: Offered): RunFacts => serverFacts(name, place, offered, variables)

  /** A person's approval is for the tool as the server described it then, and not for a tool that has its name now. */
  const isAsShown = (facts: RunFacts, { name: known }: Offered): boolean => {
    const now = listed.find(each => each.name === known)
    return now !== undefined && factsOf(now).server?.schema === facts.server?.schema
  }

  const toolOf = (offered: Offered): Tool => {
    const approval = (Object.hasOwn(approve, offered.spec.name) ? approve[offered.spec.name] : undefined) ?? 'ask'
    const facts = factsOf(offered)
    return {
      spec: offered.spec,
      approval,
      parallel: offered.isReadOnly,
      idempotent: offered.isIdempotent,
      prepare: async args => {
        if (typeof args !== 'object' || args === null || Array.isArray(args))
          return { ok: false, outcome: 'the arguments must be an object; nothing was run' }
        const sent = JSON.stringify(args)
        const call = (signal: AbortSignal): Promise<Settlement> => run(offered, JSON.parse(sent), signal)
        return {
          argv: ['mcp', name, offered.name, sent],
          facts,
          run: async signal =>
            approval === 'ask' && connection !== undefined && !isAsShown(facts, offered)
              ? { ok: false, outcome: `refused: the server "${name}" describes ${offered.name} differently now; nothing was run` }
              : call(signal),
        }
      },
    }
  }

  const run = async (offered: Offered, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Settlement> => {
    if (connection === undefined) return { ok: false, outcome: `the server "${name}" is down; nothing was run` }
    if (signal.aborted) return { ok: false, outcome: 'cancelled; nothing was run' }
    underWay += 1
    try {
      return settlementOfAnswer(await connection.call(offered, args, { signal, timeoutMs: callMs }))
    } catch (cause) {
      if (signal.aborted) return { ok: false, outcome: `cancelled; whether the server "${name}" did anything is unknown` }
      const failure = failureOf(await options.library, cause)
      if (failure.kind === 'gone' || failure.kind === 'unreached') refresh()
      return { ok: false, outcome: outcomeOf(failure, name, callMs) }
    } finally {
      underWay -= 1
    }
  }

  // A bug with one server must cost only that server.
  const life = live().catch((bug: unknown) => {
    troubles = [`the MCP server "${name}" is given up: ${bug instanceof Error ? bug.message : String(bug)}`]
    for (const trouble of troubles) say(trouble)
    answered.resolve()
  })
  return {
    tools: () => tools,
    troubles: () => troubles,
    answered: answered.promise,
    close: async () => {
      closing.abort()
      await life
      answered.resolve()
    },
  }
}

function outcomeOf(failure: Failure, server: string, callMs: number): string {
  switch (failure.kind) {
    case 'refused':
      return `the server "${server}" refused: ${failure.why}`
    case 'asks':
      return `the server "${server}" wants to ask a person before it goes on, and cannot`
    case 'late':
      return `the server "${server}" did not answer within ${callMs / 1000} s; whether it did anything is unknown`
    case 'unreached':
      return `the server "${server}" took no call: ${failure.why}; nothing was run`
    case 'garbled':
      return `the server "${server}" did not answer as it should: ${failure.why}; whether it did anything is unknown`
    case 'gone':
      return `the server "${server}" went away; whether it did anything is unknown`
  }
}
