// The state of the page, and how it begins.
import type { RecallFrom } from '../../../src/model/recall.ts'
import type { Session, SessionHit } from '../../../src/model/session.ts'
import type { Council } from '../../../src/model/settings/council.ts'
import { NEW_CHAT, type PageRoute } from '../view/route.ts'
import { EMPTY_VIEW, type View } from '../view/view.ts'
import type { NewSessionFor, TurnWish } from '../wire/client.ts'
import type { ConnectionState } from '../wire/follow.ts'
import type { ApiProblem } from '../wire/problem.ts'
import type { DraftFile } from './message/attachments.ts'
import type { Queued } from './message/queue.ts'
import type { Toast } from './undo.ts'

/** Where chats may recall from: everywhere by a switch, in some projects, and what policies say by themselves. */
export type RecallSettings = {
  readonly from: RecallFrom
  /** Projects whose chats recall from each other. */
  readonly projects: readonly string[]
  /** By the names of policies; null if a policy recalls nothing. */
  readonly policies: Readonly<Record<string, RecallFrom | null>>
  /** The policy of a new chat. */
  readonly usual: string
}

/** Everything the page shows that is not a detail of one component. */
export type State = {
  readonly route: PageRoute

  readonly query: string
  readonly sessions: readonly SessionHit[]
  /** Where the list goes on, if it does. */
  readonly next: string | null
  /** False until the list was read once for the present query. */
  readonly listed: boolean
  /** The words that the list was read for; other ones may have been typed since. */
  readonly listedFor: string
  readonly listProblem: ApiProblem | null
  /** Whether those that were put away are listed, and not the others. */
  readonly archived: boolean
  /** Families that stay at the top, the last pinned first, and the newest of each as far as it was read for itself. */
  readonly pins: readonly string[]
  readonly pinned: readonly SessionHit[]
  /** Families just put away or deleted: not listed, though they may still come back. */
  readonly gone: readonly string[]
  readonly toasts: readonly Toast[]

  /** Names of agents by their keys. */
  readonly names: Readonly<Record<string, string>>
  /** Their colors, where they have one. */
  readonly colors: Readonly<Record<string, string>>
  readonly councils: readonly Council[]
  readonly projects: readonly string[]
  readonly recall: RecallSettings
  /** Who answers in the next new session; null is the gateway's default. */
  readonly whom: NewSessionFor | null
  /** The model and policy of the next new session, if the person chose them. */
  readonly wish: TurnWish
  /** The project in the list, which new conversations belong to; null lists all conversations, and new ones have no project. */
  readonly project: string | null

  /** The session in the middle; null is the start of a new one. */
  readonly session: string | null
  readonly about: Session | null
  readonly view: View
  /** Every session of its tree of forks, once they were read. */
  readonly family: readonly Session[]
  /** The message that is being reworded, if one is. */
  readonly editing: number | null
  readonly link: ConnectionState | null

  readonly draft: string
  /** What goes with the draft. */
  readonly files: readonly DraftFile[]
  /** What is to be said in this session when its turn has ended. */
  readonly queue: readonly Queued[]
  /** The key of the queued message that is being sent. */
  readonly leaving: string | null
  /** Sessions with a message that is being sent. */
  readonly sending: readonly string[]
  /** How often this page has said something, or had something said, in the session in the middle. */
  readonly spoke: number
  readonly problem: ApiProblem | null

  /** The gateway wants a token that this page does not have. */
  readonly locked: boolean
  /** How often this page knows providers or settings of the workspace to have changed. */
  readonly workspace: number
  /** What a screen reader speaks when a reply has ended. */
  readonly announcement: string
}

export const FIRST_STATE: State = {
  route: NEW_CHAT,
  query: '',
  sessions: [],
  next: null,
  listed: false,
  listedFor: '',
  listProblem: null,
  archived: false,
  pins: [],
  pinned: [],
  gone: [],
  toasts: [],
  names: {},
  colors: {},
  councils: [],
  projects: [],
  recall: { from: 'session', projects: [], policies: {}, usual: '' },
  whom: null,
  wish: {},
  project: null,
  session: null,
  about: null,
  view: EMPTY_VIEW,
  family: [],
  editing: null,
  link: null,
  draft: '',
  files: [],
  queue: [],
  leaving: null,
  sending: [],
  spoke: 0,
  problem: null,
  locked: false,
  workspace: 0,
  announcement: '',
}
