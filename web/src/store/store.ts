// The page without its looks: one state, and everything a person can do.
import type { ApprovalAnswer } from '../../../src/model/event.ts'
import type { Quote } from '../../../src/model/quote.ts'
import type { UsageSum } from '../../../src/model/usage.ts'
import type { PageRoute } from '../view/route.ts'
import type { ApiClient, NamedAgent } from '../wire/client.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'
import { createArrange } from './arrange.ts'
import { type Cell, createCell } from './cell.ts'
import type { CommandActions } from './commands.ts'
import { type CouncilActions, createCouncilActions } from './council-actions.ts'
import { createFoldActions, type FoldActions } from './folds.ts'
import { createSessionFollower } from './follow-session.ts'
import { createDrafts } from './message/drafts.ts'
import { createFileActions, type FileActions } from './message/files.ts'
import { createRevise, type Revise } from './message/revise.ts'
import { type Composing, createComposing } from './message/say.ts'
import { createWaiting, type Waiting } from './message/waiting.ts'
import { createWordToOne, type WordToOne } from './message/word-to-one.ts'
import { createModelChoices, type ModelChoicesStore } from './model-choices.ts'
import { createPins, type Pins, readPins } from './pins.ts'
import { createReadAlong } from './read-along.ts'
import { readRecallSettings } from './recall-scope.ts'
import { createSessionActions, type SessionActions } from './session-actions.ts'
import { createSessionList, type SessionListStore } from './sessions.ts'
import { createSettings, type SettingsStore } from './settings.ts'
import { FIRST_STATE, type State } from './state.ts'
import { createAutomaticTitles } from './titles.ts'
import { createUndo, type Undo } from './undo.ts'

/** The page without its looks: one state, and everything a person can do. */
export type Store = Pick<Cell<State>, 'get' | 'watch'> &
  Pick<SessionListStore, 'search' | 'more' | 'seek' | 'enter' | 'showArchived'> &
  Pick<Pins, 'pin'> &
  SessionActions &
  FileActions &
  Composing &
  CouncilActions &
  Revise &
  FoldActions &
  Omit<Waiting, 'enqueue' | 'takeQueued'> &
  Pick<CommandActions, 'arrange' | 'startNew'> &
  WordToOne & {
    /** Goes where an address leads; the conversation in the middle stays open behind the other pages. */
    readonly visit: (route: PageRoute) => void
    /** Reads what the whole page needs. */
    readonly begin: () => Promise<void>
    /** Who there is to talk to may have changed: reads their names again. */
    readonly learnNames: () => Promise<void>
    readonly settings: SettingsStore
    readonly modelChoices: ModelChoicesStore
    /** Providers or settings of the workspace changed: lists of models and the like are read again. */
    readonly workspaceChanged: () => void
    /** What was just done, as long as it can be undone. */
    readonly undo: Undo
    /** A person's answer to a call that waits for approval; if another person was first, their answer counts. */
    readonly answer: (approval: string, answer: ApprovalAnswer, reason?: string) => Promise<void>
    readonly dismiss: () => void
    /** Takes a queued message out, for good. */
    readonly dropQueued: (key: string) => void
    /** Tells a screen reader something that is plain to see. */
    readonly announce: (words: string) => void
    /** The tokens and cost of a draft; null if the gateway cannot say. */
    readonly quote: (text: string) => Promise<Quote | null>
    /** What all requests of the session in the middle used; null where that cannot be read. */
    readonly usage: () => Promise<UsageSum | null>
    /** A token was given: everything that was refused is asked again. */
    readonly unlock: () => Promise<void>
    /** Tries again at once: the person asked, or the network is back. */
    readonly retry: () => void
    readonly setVisible: (visible: boolean) => void
  }

export type StoreNeeds = {
  readonly client: ApiClient
  readonly localStore: LocalStore
  readonly newKey: () => string
  readonly go: (session: string | null) => void
  readonly later: (show: () => void) => void
}

/** A browser opens few connections per host, so a hidden tab gives its own back after a while. */
const REST_AFTER_MS = 30_000

export function createStore({ client: wire, localStore, newKey, go, later }: StoreNeeds): Store {
  const cell = createCell<State>({ ...FIRST_STATE, project: localStore.read('project'), pins: readPins(localStore) })
  const client = countSpoken(wire, cell)
  const settings = createSettings(localStore)
  const drafts = createDrafts(localStore, newKey)
  const onProblem = (problem: ApiProblem): void => {
    if (problem.status === 401) cell.set({ locked: true })
  }
  const sessions = createSessionList({ cell, client, localStore, onProblem })
  const pins = createPins(cell, client, localStore)
  const undo = createUndo(cell, (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  })
  const sessionActions = createSessionActions({ cell, client, drafts, sessions, undo, onProblem, go })
  const files = createFileActions({ client, sessions, undo, onProblem, go })
  const waiting = createWaiting({ cell, client, localStore, newKey, onProblem })
  const titles = createAutomaticTitles({ get: cell.get, client, localStore, isWanted: client.wantsTitles })
  const readAlong = createReadAlong({ cell, isWanted: () => settings.get().aloud === 'along', now: () => performance.now() })
  const listeners = [waiting, titles, readAlong]
  const follower = createSessionFollower({ cell, client, drafts, sessions, onProblem, later, listeners })
  const revise = createRevise({ cell, client, undo, newKey, onProblem, go })
  const councilActions = createCouncilActions({ cell, client, onProblem })
  const wordToOne = createWordToOne({ cell, client, localStore, newKey, onProblem })
  const folds = createFoldActions({ cell, client, undo, onProblem })
  const arrange = createArrange({ cell, client, sessions, onProblem })
  const startNew = (): void => go(null)
  const { exchange, synthesize } = councilActions
  const actions = {
    get: cell.get,
    startNew,
    resume: () => councilActions.resume(),
    exchange,
    synthesize,
    rename: sessionActions.rename,
    arrange,
    summarize: () => folds.summarize(),
  }
  const { open } = follower
  const { saying: onSaying } = titles
  const composing = createComposing({ cell, client, drafts, waiting, newKey, open, onSaying, onProblem, actions, go })
  /** Who there is to talk to. */
  const learnNames = async (): Promise<void> => {
    const [agents, councils, projects] = await Promise.all([client.agents(), client.councils(), client.projects()])
    if (agents.ok) cell.set(namesIn(agents.value.items))
    if (councils.ok) cell.set({ councils: councils.value.items })
    if (!projects.ok) return
    const known = projects.value.items.map(({ name }) => name)
    cell.set({ recall: await readRecallSettings(client, projects.value.items, cell.get().recall) })
    cell.set({ projects: known })
    const { project } = cell.get()
    if (project !== null && !known.includes(project)) sessions.enter(null)
  }
  const workspaceChanged = (): void => cell.set({ workspace: cell.get().workspace + 1 })
  let resting: ReturnType<typeof setTimeout> | undefined
  let asleep = false

  const begin = async (): Promise<void> => {
    await Promise.all([sessions.refresh(), learnNames(), pins.gather()])
  }

  const rest = (): void => {
    if (cell.get().view.running.length > 0) {
      resting = setTimeout(rest, REST_AFTER_MS)
      return
    }
    asleep = true
    follower.hangUp()
  }

  return {
    ...composing,
    ...councilActions,
    ...revise,
    ...folds,
    ...wordToOne,
    ...sessionActions,
    ...files,
    settings,
    modelChoices: createModelChoices(localStore),
    workspaceChanged,
    undo,
    pin: pins.pin,
    get: cell.get,
    watch: cell.watch,
    visit: route => {
      const { page } = cell.get().route
      cell.set({ route })
      // On that page the person may have made or renamed an agent or council.
      if (page !== 'chat' && page !== route.page) learnNames().catch(reportError)
      if (route.page === 'chat') follower.open(route.session)
    },
    search: sessions.search,
    more: sessions.more,
    seek: sessions.seek,
    enter: sessions.enter,
    showArchived: sessions.showArchived,
    begin,
    learnNames,
    answer: async (approval, answer, reason) => {
      const given = await client.answer(approval, answer, reason)
      if (given.ok) return
      onProblem(given.problem)
      cell.set({ problem: given.problem })
    },
    dismiss: () => cell.set({ problem: null }),
    arrange,
    startNew,
    sendQueued: waiting.sendQueued,
    recall: waiting.recall,
    dropQueued: key => {
      waiting.takeQueued(key)
    },
    announce: announcement => cell.set({ announcement }),
    quote: async text => {
      const { session, whom, project, wish } = cell.get()
      const quoted = await (session === null ? client.quoteFirst(text, whom, project, wish) : client.quote(session, text))
      return quoted.ok ? quoted.value : null
    },
    usage: async () => {
      const { session } = cell.get()
      const used = session === null ? null : await client.usage(session)
      return used?.ok === true ? used.value.total : null
    },
    unlock: async () => {
      cell.set({ locked: false, problem: null })
      follower.reconnect()
      await begin()
    },
    retry: () => {
      if (cell.get().link?.state === 'refused') follower.reconnect()
      else follower.hurry()
      sessions.refreshSoon()
    },
    setVisible: visible => {
      clearTimeout(resting)
      if (!visible) {
        resting = setTimeout(rest, REST_AFTER_MS)
        return
      }
      if (asleep) follower.reconnect()
      else follower.hurry()
      asleep = false
      sessions.refreshSoon()
      // A provider may have been connected elsewhere meanwhile.
      workspaceChanged()
      learnNames().catch(reportError)
    },
  }
}

const namesIn = (agents: readonly NamedAgent[]): Pick<State, 'names' | 'colors'> => ({
  names: Object.fromEntries(agents.map(({ key, name }) => [key, name])),
  colors: Object.fromEntries(agents.flatMap(({ key, color }) => (color === undefined ? [] : [[key, color]]))),
})

/** The same client, which also counts the messages this page sends in the open session: its reader wants to see the answer. */
function countSpoken(client: ApiClient, cell: Cell<State>): ApiClient {
  const counted = async <Value>(session: string, asked: Promise<ApiResult<Value>>): Promise<ApiResult<Value>> => {
    const outcome = await asked
    if (outcome.ok && cell.get().session === session) cell.set({ spoke: cell.get().spoke + 1 })
    return outcome
  }
  return {
    ...client,
    say: (session, message) => counted(session, client.say(session, message)),
    exchange: session => counted(session, client.exchange(session)),
  }
}
