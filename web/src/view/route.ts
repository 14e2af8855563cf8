// Turns the page's addresses into routes and back.

/** Pages beside the conversations, by the word in their address. */
export const WORKSPACE_PAGES = [
  'agents',
  'councils',
  'skills',
  'policies',
  'memory',
  'models',
  'mcp',
  'usage',
  'settings',
  'projects',
] as const
export type WorkspacePageName = (typeof WORKSPACE_PAGES)[number]

/** What is looked at beside a conversation: a request of a turn, its last where no step is named, or where a message went. */
export type Look = { readonly turn: string; readonly step: number | null } | { readonly message: number }

/** Where one is in the page. */
export type PageRoute =
  /** A conversation, at one message if `seq` is given; a null session is the start of a new one. */
  | { readonly page: 'chat'; readonly session: string | null; readonly seq: number | null; readonly look?: Look }
  /** One of the pages; with a key, one thing on it. */
  | { readonly page: WorkspacePageName; readonly key: string | null }

export const NEW_CHAT: PageRoute = { page: 'chat', session: null, seq: null }

/** In place of a key: something new that has no key yet. No key and no name begins so. */
export const NEW_KEY = '~new'

/** The address of a route within the page; every route has exactly one. */
export function hashOf(route: PageRoute): string {
  if (route.page !== 'chat') return `#/${route.page}${route.key === null ? '' : `/${encodeURIComponent(route.key)}`}`
  if (route.session === null) return '#/'
  const session = `#/s/${encodeURIComponent(route.session)}`
  if (route.look !== undefined) return `${session}/${lookPath(route.look)}`
  return `${session}${route.seq === null ? '' : `/${route.seq}`}`
}

function lookPath(look: Look): string {
  if ('message' in look) return `m/${look.message}`
  return `t/${encodeURIComponent(look.turn)}${look.step === null ? '' : `/${look.step}`}`
}

/** The address of a session, or of one message in it. */
export const sessionHash = (session: string | null, seq: number | null = null): string => hashOf({ page: 'chat', session, seq })

/** The address of a session with something looked at beside it. */
export const lookHash = (session: string, look: Look): string => hashOf({ page: 'chat', session, seq: null, look })

/** An address that means nothing is the start of a new conversation. */
export function routeOf(hash: string): PageRoute {
  const [word = '', first, second, ...more] = hash.replace(/^#\/?/, '').split('/')
  const key = first === undefined || first === '' ? null : decoded(first)
  if (key === undefined) return NEW_CHAT
  if (word === 's' && key !== null && (second === 't' || second === 'm')) {
    const look = lookOf(second, more)
    return look === undefined ? NEW_CHAT : { page: 'chat', session: key, seq: null, look }
  }
  if (more.length > 0) return NEW_CHAT
  const target = WORKSPACE_PAGES.find(name => name === word)
  if (target !== undefined && second === undefined) return { page: target, key }
  if (word !== 's' || key === null) return NEW_CHAT
  if (second === undefined) return { page: 'chat', session: key, seq: null }
  return isPlace(second) ? { page: 'chat', session: key, seq: Number(second) } : NEW_CHAT
}

const isPlace = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text)

function lookOf(kind: 't' | 'm', [what = '', step, ...more]: readonly string[]): Look | undefined {
  if (what === '' || more.length > 0 || (step !== undefined && (kind === 'm' || !isPlace(step)))) return undefined
  if (kind === 'm') return isPlace(what) ? { message: Number(what) } : undefined
  const turn = decoded(what)
  return turn === undefined ? undefined : { turn, step: step === undefined ? null : Number(step) }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
