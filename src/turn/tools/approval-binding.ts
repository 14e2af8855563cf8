/** Computes what an approval is bound to, and whether a call is still the one that was shown. */
import { createHash } from 'node:crypto'
import type { RunFacts, RunFile } from '../../model/approval.ts'

/** A call as a person is, or was, asked about it. */
export type ShownCall = RunFacts & { readonly tool: string; readonly argv: readonly string[] }

/**
 * What an answer for the session, or for good, is bound to: everything but the values of arguments. How values become
 * arguments, a resolver's included, is part of the descriptor.
 */
export function grantBinding(tool: string, facts: RunFacts): string {
  const { resolver = [] } = facts
  const programs = resolver.map(({ param, binary }) => [param, fileIn(binary)])
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([tool, ...lasting(facts), programs]))
    .digest('hex')}`
}

/** Whether a call is, to the letter, the one that was shown. */
export const isAsShown = (shown: ShownCall, now: ShownCall): boolean => exactly(shown) === exactly(now)

const exactly = ({ tool, argv, ...facts }: ShownCall): string => {
  const resolvers = (facts.resolver ?? []).map(({ param, at, argv: runs, binary }) => [param, at, runs, fileIn(binary)])
  return JSON.stringify([tool, argv, ...lasting(facts), resolvers])
}

/** In a fixed order, and without anything a later version may add. */
const lasting = ({ binary, env, server, descriptor }: RunFacts): readonly unknown[] => [
  binary === undefined ? null : fileIn(binary),
  env ?? null,
  server === undefined ? null : [server.name, server.command ?? null, server.url ?? null, server.sha256, server.schema],
  descriptor ?? null,
]

const fileIn = ({ path, sha256 }: RunFile): readonly string[] => [path, sha256]
