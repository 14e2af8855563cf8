/** What a person is shown beside a command that waits for approval, as rows of words. */
import type { RunFacts, RunFile } from './approval.ts'

/** One line of what a person is shown beside a command. `full` is there where `value` is the short form of a hash. */
export type FactRow = { readonly label: string; readonly value: string; readonly full?: string }

const SHORT_HASH = 12

/** A hash short enough to be compared by eye. */
export const shortHash = (sha256: string): string => (sha256.length <= SHORT_HASH ? sha256 : `${sha256.slice(0, SHORT_HASH)}…`)

/** What an answer is bound to, in words that every place shows; `quoted` writes a command line there. */
export function factRows(
  { binary, env, server, resolver = [] }: RunFacts,
  quoted: (argv: readonly string[]) => string,
): readonly FactRow[] {
  return [
    ...(binary === undefined ? [] : fileRows('Program', binary)),
    ...(server === undefined
      ? []
      : [
          { label: 'MCP server', value: server.name },
          ...(server.command === undefined ? [] : [{ label: 'Started as', value: quoted(server.command) }]),
          ...(server.url === undefined ? [] : [{ label: 'Address', value: server.url }]),
          hashRow('Schema SHA-256', server.schema),
        ]),
    ...(env === undefined ? [] : [{ label: 'Variables', value: env.length === 0 ? 'none' : env.join(', ') }]),
    ...resolver.flatMap(({ param, argv, binary: program }) => [
      { label: `<${param}> comes from`, value: quoted(argv) },
      ...fileRows('Its program', program),
    ]),
  ]
}

const fileRows = (label: string, { path, sha256 }: RunFile): readonly FactRow[] => [
  { label, value: path },
  hashRow('SHA-256', sha256),
]

const hashRow = (label: string, sha256: string): FactRow => ({ label, value: shortHash(sha256), full: sha256 })
