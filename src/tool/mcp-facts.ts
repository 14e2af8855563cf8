import type { RunFacts } from '../model/approval.ts'
import { describedHash } from './described-hash.ts'
import type { Place } from './mcp-connect.ts'
import type { Offered } from './mcp-listing.ts'

/** What a person is shown of a tool of an MCP server: which server, how it is reached, and the hash of how it describes the tool. */
export function serverFacts(
  name: string,
  place: Place,
  { name: tool, spec, schema, isReadOnly, isIdempotent }: Offered,
  environment: Readonly<Record<string, string | undefined>>,
): RunFacts {
  const described = describedHash([tool, spec, schema, isReadOnly, isIdempotent])
  if (place.kind === 'http') {
    const { url } = place
    return { server: { name, url: withoutSecrets(url), sha256: describedHash(url.href), schema: described } }
  }
  const { command, args, env } = place
  return {
    server: {
      name,
      command: [command, ...shownArgs(args, environment)],
      sha256: describedHash([command, args]),
      schema: described,
    },
    env: Object.keys(env).sort(),
  }
}

const HIDDEN = '…'

/** An address may carry a password or a key; neither is for the log. */
function withoutSecrets(url: URL): string {
  const shown = new URL(url)
  if (shown.username !== '' || shown.password !== '') Object.assign(shown, { username: '', password: '' })
  const query = [...shown.searchParams.keys()].map(key => `${encodeURIComponent(key)}=${HIDDEN}`).join('&')
  return `${shown.origin}${shown.pathname}${query === '' ? '' : `?${query}`}`
}

const SECRET = /key|token|secret|password|passwd|credential|auth/i
/** Shorter values are words such as "1" or "en" that stand in many variables by chance. */
const SHORTEST_SECRET = 8

/** Arguments as the settings write them: one that was read from a variable is shown by that variable's name. */
function shownArgs(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const variables = new Map(Object.entries(environment).map(([name, value]) => [value, name]))
  return args.map((arg, index) => {
    const variable = arg.length < SHORTEST_SECRET ? undefined : variables.get(arg)
    if (variable !== undefined) return `$${variable}`
    const [option = '', value] = arg.split(/=(.*)/s)
    if (value !== undefined && SECRET.test(option)) return `${option}=${HIDDEN}`
    const before = args[index - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && SECRET.test(before) && !arg.startsWith('-') ? HIDDEN : arg
  })
}
