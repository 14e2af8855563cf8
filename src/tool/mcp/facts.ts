// What a person is shown before a tool of an MCP server runs.
import type { RunFacts } from '../../model/approval.ts'
import { describedHash } from '../described-hash.ts'
import type { ServerAddress } from './connect.ts'
import type { Offered } from './listing.ts'

/** The values that the settings read from the environment, by variable name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What a person sees of an MCP server's tool: the server, how it is reached, and the hash of the tool's description. */
export function serverFacts(
  name: string,
  place: ServerAddress,
  { name: tool, spec, schema, isReadOnly, isIdempotent }: Offered,
  variables: Variables,
): RunFacts {
  const described = describedHash([tool, spec, schema, isReadOnly, isIdempotent])
  const shown = shownPlace(place, variables)
  if (place.kind === 'http') return { server: { name, ...shown, sha256: describedHash(place.url.href), schema: described } }
  const { command, args, env } = place
  return {
    server: { name, ...shown, sha256: describedHash([command, args]), schema: described },
    env: Object.keys(env).sort(),
  }
}

/** How a server is reached, as people may see it. */
export function shownPlace(
  place: ServerAddress,
  variables: Variables,
): { readonly url: string } | { readonly command: readonly string[] } {
  if (place.kind === 'process') return { command: shownCommand([place.command, ...place.args], variables) }
  const { url } = place
  return { url: namedIn(variables, value => isSameUrl(value, url)) ?? withoutSecrets(url) }
}

const isSameUrl = (value: string, url: URL): boolean => URL.canParse(value) && new URL(value).href === url.href

const HIDDEN = '…'

/** An address may contain a password or a key. Neither may reach the log. */
function withoutSecrets(url: URL): string {
  const shown = new URL(url)
  if (shown.username !== '' || shown.password !== '') Object.assign(shown, { username: '', password: '' })
  const query = [...shown.searchParams.keys()].map(key => `${encodeURIComponent(key)}=${HIDDEN}`).join('&')
  return `${shown.origin}${shown.pathname}${query === '' ? '' : `?${query}`}`
}

const SECRET = /key|token|secret|password|passwd|credential|auth/i

/** A command line as the settings write it. A value from a variable is shown as the variable's name. */
function shownCommand(words: readonly string[], variables: Variables): readonly string[] {
  return words.map((word, index) => {
    const variable = namedIn(variables, value => value === word)
    if (variable !== undefined) return variable
    const [option = '', value] = word.split(/=(.*)/s)
    if (value !== undefined && SECRET.test(option)) return `${option}=${HIDDEN}`
    const before = words[index - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && SECRET.test(before) && !word.startsWith('-') ? HIDDEN : word
  })
}

function namedIn(variables: Variables, isIt: (value: string) => boolean): string | undefined {
  const found = Object.entries(variables).find(([, value]) => value !== undefined && value !== '' && isIt(value))
  return found === undefined ? undefined : `$${found[0]}`
}
