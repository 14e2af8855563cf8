// Sends queued messages when the running turn has ended.
import { isHouseVoice } from '../../../../src/model/settings/council.ts'
import type { ApiClient } from '../../wire/client.ts'
import type { LocalStore } from '../../wire/local-storage.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { Cell } from '../cell.ts'
import type { FollowListener, TurnEnded } from '../follow-session.ts'
import type { State } from '../state.ts'
import { type DraftFile, partOf } from './attachments.ts'
import { createQueues, EMPTY_QUEUE, leaving, nextOf, type Queued, withoutQueued, withQueued } from './queue.ts'

/** Messages that wait for the running turn to end. */
export type Waiting = {
  readonly enqueue: (text: string, files: readonly DraftFile[]) => void
  /** Says it at once: the running turn hears it, or a new one answers it. */
  readonly sendQueued: (key: string) => Promise<void>
  /** Gives it back, to be written on or forgotten. */
  readonly takeQueued: (key: string) => { readonly text: string; readonly files: readonly DraftFile[] }
  /** Reads again what another tab may have changed. */
  readonly recall: () => void
}

export type WaitingNeeds = {
  readonly cell: Cell<State>
  readonly client: Pick<ApiClient, 'say'>
  readonly localStore: LocalStore
  readonly newKey: () => string
  readonly onProblem: (problem: ApiProblem) => void
}

const FILES_GONE: ApiProblem = {
  status: 0,
  title: 'Its files are not on this page any more',
  detail: 'They stay only where they were attached. Edit the message and attach them again.',
}

/** How a turn ends when its voice answered; a stopped or failed turn does not count. */
const ENDED_WELL: readonly TurnEnded['reason'][] = ['done', 'limit']

export function createWaiting({ cell, client, localStore, newKey, onProblem }: WaitingNeeds): Waiting & FollowListener {
  const queues = createQueues(localStore)
  const files = new Map<string, readonly DraftFile[]>()
  /** Keys of messages that this page has heard in the log. */
  const heard = new Set<string>()
  /** Turns of the present round that did not end well. */
  let isTroubled = false

  const show = (session: string | null): void => {
    if (cell.get().session === session) cell.set({ queue: session === null ? [] : queues.read(session).items })
  }

  const fail = (session: string, problem: ApiProblem): void => {
    onProblem(problem)
    if (cell.get().session === session) cell.set({ problem })
  }

  const say = async (session: string, { key, text, files: names = [] }: Queued): Promise<void> => {
    const attached = files.get(key) ?? []
    if (attached.length < names.length) return fail(session, FILES_GONE)
    queues.write(session, leaving(queues.read(session), key))
    cell.set({ leaving: key, problem: null })
    const said = await client.say(session, { text, key, ...(attached.length === 0 ? {} : { parts: attached.map(partOf) }) })
    if (said.ok) return
    if (cell.get().leaving === key) cell.set({ leaving: null })
    fail(session, said.problem)
  }

  return {
    enqueue: (text, attached) => {
      const { session } = cell.get()
      if (session === null) return
      const key = newKey()
      if (attached.length > 0) files.set(key, attached)
      const item: Queued = { key, text, ...(attached.length === 0 ? {} : { files: attached.map(({ name }) => name) }) }
      queues.write(session, withQueued(queues.read(session), item))
      show(session)
      cell.set({ announcement: 'Queued: it is sent when the reply has ended.' })
    },
    sendQueued: async key => {
      const { session, queue } = cell.get()
      const item = queue.find(each => each.key === key)
      if (session !== null && item !== undefined && cell.get().leaving !== key) await say(session, item)
    },
    takeQueued: key => {
      const { session, queue } = cell.get()
      const item = queue.find(each => each.key === key)
      if (session === null || item === undefined) return { text: '', files: [] }
      queues.write(session, withoutQueued(queues.read(session), key))
      show(session)
      const attached = files.get(key) ?? []
      files.delete(key)
      return { text: item.text, files: attached }
    },
    recall: () => show(cell.get().session),
    opened: session => {
      heard.clear()
      isTroubled = false
      cell.set({ leaving: null })
      // If nothing waits, the last sent message does not matter.
      if (session !== null && queues.read(session).items.length === 0) queues.write(session, EMPTY_QUEUE)
      show(session)
    },
    arrived: (session, key) => {
      heard.add(key)
      // A new message begins a new round, even if the last one failed.
      isTroubled = false
      files.delete(key)
      if (cell.get().leaving === key) cell.set({ leaving: null })
      const queue = queues.read(session)
      // Another tab may have heard it before, and taken it out.
      if (queue.items.some(item => item.key === key)) queues.write(session, withoutQueued(queue, key))
      show(session)
    },
    turnEnded: (session, { reason, voice }, isLive) => {
      isTroubled ||= !ENDED_WELL.includes(reason) && !isHouseVoice(voice)
      // A turn that ended while this page was closed may be long ago: then a person decides.
      if (!isLive || isTroubled || isBusy(cell.get()) || cell.get().leaving !== null) return
      const next = nextOf(queues.read(session), heard)
      // Where its files are in another tab, that one sends it.
      if (next === null || (next.files ?? []).length > (files.get(next.key) ?? []).length) return
      say(session, next).catch(reportError)
    },
  }
}

/** A voice speaks or is about to: a message that the last turn did not hear is answered first. */
export const isBusy = ({ view: { running, entries } }: Pick<State, 'view'>): boolean =>
  running.length > 0 || entries.some(entry => entry.kind === 'message' && entry.waits === true)
