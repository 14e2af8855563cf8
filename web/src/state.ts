import type { Council } from '../../src/model/council.ts'
import type { Session, SessionHit } from '../../src/model/session.ts'
import type { Whom } from './client.ts'
import type { Link } from './follow.ts'
import type { Problem } from './problem.ts'
import { NEW_CHAT, type Route } from './route.ts'
import { EMPTY_VIEW, type View } from './view.ts'

/** Everything the page shows that is not a detail of one component. */
export type State = {
  readonly route: Route

  readonly query: string
  readonly sessions: readonly SessionHit[]
  /** Where the list goes on, if it does. */
  readonly next: string | null
  /** False until the list was read once for the present query. */
  readonly listed: boolean
  readonly listProblem: Problem | null

  /** Names of agents by their keys. */
  readonly names: Readonly<Record<string, string>>
  readonly councils: readonly Council[]
  /** Who is to answer in the next new session; null is whoever the gateway asks first. */
  readonly whom: Whom | null
  /** The project whose conversations are listed, and that a new one belongs to; null is all of them, and none. */
  readonly project: string | null

  /** The session in the middle; null is the start of a new one. */
  readonly session: string | null
  readonly about: Session | null
  readonly view: View
  readonly link: Link | null

  readonly draft: string
  /** Sessions whose message is on its way. */
  readonly sending: readonly string[]
  readonly problem: Problem | null

  /** The gateway wants a token that this page does not have. */
  readonly locked: boolean
  /** What a screen reader is told when a reply has ended. */
  readonly announcement: string
}

export const FIRST_STATE: State = {
  route: NEW_CHAT,
  query: '',
  sessions: [],
  next: null,
  listed: false,
  listProblem: null,
  names: {},
  councils: [],
  whom: null,
  project: null,
  session: null,
  about: null,
  view: EMPTY_VIEW,
  link: null,
  draft: '',
  sending: [],
  problem: null,
  locked: false,
  announcement: '',
}
