import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../src/model/session.ts'
import { createStore, type Store } from '../../web/src/store/store.ts'
import type { PageRoute } from '../../web/src/view/route.ts'
import type { ApiClient } from '../../web/src/wire/client.ts'
import type { FollowRequest } from '../../web/src/wire/follow.ts'
import type { LocalStore } from '../../web/src/wire/local-storage.ts'
import type { ApiProblem, ApiResult } from '../../web/src/wire/problem.ts'
import { NOON } from './signals.ts'

// What the page leaves to the browser's error console is a failure here.
globalThis.reportError ??= (cause: unknown): never => {
  throw cause
}

/** A conversation as an address leads to it. */
export const chat = (id: string | null): PageRoute => ({ page: 'chat', session: id, seq: null })

export const DOWN: ApiProblem = { status: 503, title: 'The store does not answer', detail: 'try again' }

export const session = (id: string, more: Partial<Session> = {}): Session => ({
  id: id as Session['id'],
  title: null,
  preview: null,
  agent: 'assistant',
  council: null,
  project: null,
  policy: 'steady',
  model: null,
  archived: false,
  createdAt: NOON,
  updatedAt: NOON,
  messages: 0,
  family: id as Session['id'],
  ...more,
})

/** Until everything that was heard is shown and what follows from it was asked: the world's answers take no time. */
export const settled = (): Promise<void> => setImmediate()

/** A keep that is only a map, so that two stores can share it like two loads of one page. */
export function mapLocalStore(): LocalStore {
  const kept = new Map<string, string>()
  return {
    read: name => kept.get(name) ?? null,
    write: (name, value) => {
      if (value === null) kept.delete(name)
      else kept.set(name, value)
    },
  }
}

export type World = {
  readonly store: Store
  /** Every call of the client, in order, as its name and arguments. */
  readonly calls: (readonly [string, ...unknown[]])[]
  readonly answers: Map<string, (...args: readonly unknown[]) => Promise<ApiResult<unknown>> | ApiResult<unknown>>
  readonly followed: FollowRequest[]
  readonly addresses: (string | null)[]
}

/** A store with a gateway that answers as told; what was heard is shown at once. */
export function world(localStore: LocalStore = mapLocalStore()): World {
  const calls: World['calls'] = []
  const answers: World['answers'] = new Map()
  const followed: FollowRequest[] = []
  const addresses: (string | null)[] = []
  const usual: Readonly<Record<string, unknown>> = {
    list: { items: [], next: null },
    agents: { items: [] },
    councils: { items: [] },
    projects: { items: [] },
    policies: { items: [] },
    recallSwitches: { from: 'session' },
    family: { items: [], next: null },
    create: session('ses_new'),
  }
  const answer =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<ApiResult<never>> => {
      calls.push([name, ...args])
      const told = answers.get(name)
      return (told === undefined ? { ok: true, value: usual[name] ?? null } : await told(...args)) as ApiResult<never>
    }
  const client: ApiClient = {
    list: answer('list'),
    agents: answer('agents'),
    councils: answer('councils'),
    projects: answer('projects'),
    policies: answer('policies'),
    recallSwitches: answer('recallSwitches'),
    putCouncil: answer('putCouncil'),
    show: answer('show'),
    create: answer('create'),
    change: answer('change'),
    family: answer('family'),
    fork: answer('fork'),
    wantsTitles: async () => true,
    entitle: answer('entitle'),
    quote: answer('quote'),
    quoteFirst: answer('quoteFirst'),
    usage: answer('usage'),
    mark: answer('mark'),
    fold: answer('fold'),
    editFold: answer('editFold'),
    redoFold: answer('redoFold'),
    removeFold: answer('removeFold'),
    file: answer('file'),
    remove: answer('remove'),
    say: answer('say'),
    cancel: answer('cancel'),
    exchange: answer('exchange'),
    synthesize: answer('synthesize'),
    resume: answer('resume'),
    sources: answer('sources'),
    answer: answer('answer'),
    exported: answer('exported'),
    bring: answer('bring'),
    follow: request => {
      followed.push(request)
      return { stop: () => {}, hurry: () => {} }
    },
  }
  let keys = 0
  const store = createStore({
    client,
    localStore,
    newKey: () => {
      keys += 1
      return `key-${keys}`
    },
    go: address => {
      addresses.push(address)
      store.visit(chat(address))
    },
    later: show => queueMicrotask(show),
  })
  return { store, calls, answers, followed, addresses }
}
