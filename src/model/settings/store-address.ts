/** Reads the setting `store`: a SQLite file of the workspace, or the address of a PostgreSQL database that several nodes share. */
import { type Fault, fault } from '../fault.ts'
import { err, ok, type Result } from '../result.ts'

/** Where everything is kept. `title` names the database without its user and password. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly title: string }

const POSTGRES = /^postgres(ql)?:/i
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/** The query parameters that are no secret. All others are hidden where an address is shown. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(['pgbouncer', 'schema', 'sslmode', 'host', 'port', 'application_name'])

/** Whether a store is a database that several nodes share, not a file. */
export const isPostgres = (store: string): boolean => POSTGRES.test(store)

/** No refusal repeats the address: a part of it may be a password. */
export function parseStore(store: string): Result<StoreAddress, Fault> {
  const refused = (why: string): Result<never, Fault> => err(fault('invalid', `store: ${why}`))
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? []
  if (file !== undefined) return ok({ kind: 'sqlite', file })
  if (!isPostgres(store)) {
    const [kind] = /^\w*/.exec(store) ?? []
    return refused(`"${kind}:…" is not a store; use "sqlite:turnwise.db" or "postgres://…"`)
  }
  const url = urlOf(store)
  if (url === undefined)
    return refused(
      'the address cannot be read; write "postgres://user:password@host:5432/database", and signs such as @ / : # in the password as %40 %2F %3A %23',
    )
  const pooled = url.searchParams.get('pgbouncer')
  if (pooled !== null && pooled !== 'true' && pooled !== 'false') return refused('"pgbouncer" in the address is true or false')
  const schema = url.searchParams.get('schema')
  if (schema !== null && !SCHEMA.test(schema))
    return refused('"schema" in the address is a name of lowercase letters, digits and "_", at most 63')
  return ok({ kind: 'postgres', url: store, title: titleOf(url) })
}

/** The store for people to see, with `hidden` in the place of its password. */
export function shownStore(store: string, hidden: string): string {
  if (!isPostgres(store)) return store.replace(/(\/\/[^/@:]*:)[^@]*@/, `$1${hidden}@`)
  const url = urlOf(store)
  if (url === undefined) return `postgres://${hidden}`
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${hidden}`}@`
  const query = [...url.searchParams].map(([name, value]) => `${name}=${OPEN_PARAMETERS.has(name) ? value : hidden}`).join('&')
  return `postgres://${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`
}

/** The passwords in an address, as they are written and as they are sent. */
export function storeSecrets(store: string): readonly string[] {
  const url = isPostgres(store) ? urlOf(store) : undefined
  if (url === undefined) return []
  const written = [url.password, ...[...url.searchParams].flatMap(([name, value]) => (OPEN_PARAMETERS.has(name) ? [] : value))]
  return [...new Set([...written, decoded(url.password)])].filter(secret => secret !== '' && !WORDS.has(secret))
}

/** Values of options such as `ssl=true`. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'require', 'prefer', 'disable'])

/** A password with a raw "/", "@" or "?" would be read as a host, a port or a name; such an address is not read at all. */
function urlOf(store: string): URL | undefined {
  const url = store.includes('://') && URL.canParse(store) ? new URL(store) : undefined
  if (url === undefined || url.hash !== '' || !/^\/?[^/@]*$/.test(url.pathname)) return undefined
  return [...url.searchParams.keys()].every(name => /^\w+$/.test(name)) ? url : undefined
}

function titleOf(url: URL): string {
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  const port = url.port || url.searchParams.get('port') || '5432'
  const name = decoded(url.pathname.slice(1)) || decoded(url.username)
  return host.startsWith('/') ? `${host} ${name}`.trim() : `${host}:${port}/${name}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
