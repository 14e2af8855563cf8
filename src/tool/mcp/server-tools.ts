// Makes tools of what a connected MCP server offers, and calls them.
import type { RunFacts } from '../../model/approval.ts'
import { type ApproveRules, ruleFor } from '../approve-rules.ts'
import type { Settlement, Tool } from '../toolbox.ts'
import { settlementOfAnswer } from './answer.ts'
import type { Connection } from './connect.ts'
import { type Failure, failureOf, type Library } from './failure.ts'
import type { Offered } from './listing.ts'

/** A tool as the server lists it now, and what a person is shown of it. */
export type ListedOffer = { readonly offered: Offered; readonly facts: RunFacts }

export type ToolHome = {
  readonly name: string
  readonly library: Promise<Library>
  readonly callMs: number
  readonly connection: () => Connection | undefined
  readonly listed: () => readonly ListedOffer[]
  /** Called when the answer to a call says that the server may be gone. */
  readonly onDoubt: () => void
}

export type ServerTools = {
  readonly toolOf: (listed: ListedOffer, approve: ApproveRules) => Tool
  /** True while a call waits for its answer. */
  readonly isBusy: () => boolean
}

export function createServerTools(home: ToolHome): ServerTools {
  const { name, callMs } = home
  let underWay = 0

  /** A person's approval is for the tool as the server described it then, and not for a tool that has its name now. */
  const isAsShown = ({ offered, facts }: ListedOffer): boolean => {
    const now = home.listed().find(each => each.offered.name === offered.name)
    return now !== undefined && now.facts.server?.schema === facts.server?.schema
  }

  const run = async (offered: Offered, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Settlement> => {
    const connection = home.connection()
    if (connection === undefined) return { ok: false, outcome: `the server "${name}" is down; nothing was run` }
    if (signal.aborted) return { ok: false, outcome: 'cancelled; nothing was run' }
    underWay += 1
    try {
      return settlementOfAnswer(await connection.call(offered, args, { signal, timeoutMs: callMs }))
    } catch (cause) {
      if (signal.aborted) return { ok: false, outcome: `cancelled; whether the server "${name}" did anything is unknown` }
      const failure = failureOf(await home.library, cause)
      if (['gone', 'unreached', 'unknown-person'].includes(failure.kind)) home.onDoubt()
      return { ok: false, outcome: outcomeOf(failure, name, callMs) }
    } finally {
      underWay -= 1
    }
  }

  return {
    isBusy: () => underWay > 0,
    toolOf: (listed, approve) => {
      const { offered, facts } = listed
      const rule = ruleFor(offered.spec.name, approve)
      const approval = rule?.approval ?? 'ask'
      return {
        spec: offered.spec,
        approval,
        parallel: offered.isReadOnly,
        idempotent: offered.isIdempotent,
        server: name,
        ...(rule === undefined ? {} : { rule: rule.key }),
        prepare: async args => {
          if (typeof args !== 'object' || args === null || Array.isArray(args))
            return { ok: false, outcome: 'the arguments must be an object; nothing was run' }
          const sent = JSON.stringify(args)
          return {
            argv: ['mcp', name, offered.name, sent],
            facts,
            run: async signal =>
              approval === 'ask' && home.connection() !== undefined && !isAsShown(listed)
                ? {
                    ok: false,
                    outcome: `refused: the server "${name}" describes ${offered.name} differently now; nothing was run`,
                  }
                : run(offered, JSON.parse(sent), signal),
          }
        },
      }
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
    case 'unknown-person':
      return `the server "${server}" wants a person to sign in first; nothing was run`
    case 'garbled':
      return `the server "${server}" did not answer as it should: ${failure.why}; whether it did anything is unknown`
    case 'gone':
      return `the server "${server}" went away; whether it did anything is unknown`
  }
}
