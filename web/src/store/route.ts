/** Pages beside the conversations, by the word that stands in their address. */
export const SHELVES = ['agents', 'councils', 'skills', 'policies', 'models', 'usage', 'projects'] as const
export type Shelf = (typeof SHELVES)[number]

/** Where one is in the page. */
export type Route =
  /** A conversation, at one message of it where `seq` is given; null is the start of a new one. */
  | { readonly page: 'chat'; readonly session: string | null; readonly seq: number | null }
  /** One of the shelves; with a key, one thing on it. */
  | { readonly page: Shelf; readonly key: string | null }

export const NEW_CHAT: Route = { page: 'chat', session: null, seq: null }

/** Stands for the key of what is still to be made; no key and no name begins so. */
export const NEW_KEY = '~new'

/** The address of a route within the page; every route has exactly one. */
export function hashOf(route: Route): string {
  if (route.page !== 'chat') return `#/${route.page}${route.key === null ? '' : `/${encodeURIComponent(route.key)}`}`
  if (route.session === null) return '#/'
  return `#/s/${encodeURIComponent(route.session)}${route.seq === null ? '' : `/${route.seq}`}`
}

/** The address of a session, or of one message in it. */
export const sessionHash = (session: string | null, seq: number | null = null): string => hashOf({ page: 'chat', session, seq })

/** An address that means nothing is the start of a new conversation. */
export function routeOf(hash: string): Route {
  const [word = '', first, second, ...more] = hash.replace(/^#\/?/, '').split('/')
  const key = first === undefined || first === '' ? null : decoded(first)
  if (more.length > 0 || key === undefined) return NEW_CHAT
  const shelf = SHELVES.find(name => name === word)
  if (shelf !== undefined && second === undefined) return { page: shelf, key }
  if (word !== 's' || key === null) return NEW_CHAT
  if (second === undefined) return { page: 'chat', session: key, seq: null }
  return /^[1-9]\d{0,14}$/.test(second) ? { page: 'chat', session: key, seq: Number(second) } : NEW_CHAT
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
