import { setTimeout as pause } from 'node:timers/promises'
import { FOLD } from '../../src/model/settings/council.ts'
import type { VoiceId } from '../../src/model/voice.ts'
import { clientOf } from '../gateway/http/client.ts'
import type { Data } from '../gateway/http/frames.ts'
import { answering, MESSAGES, type Message, SCRIPT, type Script, type SessionName } from './conversation.ts'
import { createHearing, type Hearing } from './hearing.ts'
import { WISHES } from './house.ts'

/** Someone who has the whole conversation, whatever happens to the gateway meanwhile. */
export type Person = {
  readonly hearings: Readonly<Record<SessionName, Hearing>>
  /** Talks to a gateway until everything is said and answered; one that dies meanwhile is left, to be talked to again. */
  readonly talk: (url: string) => Promise<'done' | 'cut'>
  /** When each message was over. */
  readonly over: ReadonlyMap<string, number>
}

const NAMES: readonly SessionName[] = ['agent', 'council', 'told', 'noted']

export function createPerson({ forgets }: { readonly forgets: boolean }): Person {
  const hearings = { agent: createHearing(), council: createHearing(), told: createHearing(), noted: createHearing() }
  const paths = new Map<SessionName, string>()
  const taken = new Set<string>()
  const over = new Map<string, number>()
  const resumed = new Set<string>()
  let wasCut = false
  let changed = Promise.withResolvers<void>()
  const stir = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  const follow = async (url: string, name: SessionName, cut: () => void): Promise<void> => {
    const { cursor, connect, hear, faults } = hearings[name]
    const isBack = cursor() > 0 && !forgets
    const stream = await clientOf(url).follow(paths.get(name) ?? '', isBack ? { 'last-event-id': String(cursor()) } : {})
    connect()
    const listen = async (): Promise<void> => {
      for (let frame = await stream.next(); frame !== undefined; frame = await stream.next()) {
        hear(frame)
        stir()
      }
    }
    const ended = (cause: unknown): void => {
      if (!isReset(cause)) faults.push(String(cause))
    }
    listen().catch(ended).finally(cut)
  }

  const send = async (url: string, { key, session, text, to }: Message): Promise<void> => {
    const body = { text, ...(to === undefined ? {} : { to }) }
    await clientOf(url).json(202, 'POST', `${paths.get(session)}/messages`, { body, headers: { 'idempotency-key': key } })
    taken.add(key)
  }

  /** Goes on with what ended without an answer, as a person would by a click. */
  const resume = async (url: string, { session }: Message, turn: string): Promise<void> => {
    if (resumed.has(turn)) return
    const response = await clientOf(url).ask('POST', `${paths.get(session)}/resume`, { body: { turn } })
    await response.text()
    // The click of a moment ago may have counted although its answer was lost.
    if (response.status === 202 || response.status === 409) resumed.add(turn)
  }

  /**
   * Waits for the summaries that a message leads to, so that each run has them at the same place. Of one that a killed gateway was
   * about to make nobody knows, until something is said again.
   */
  const untilFolded = async ({ session, folds = 0 }: Message, isCut: () => boolean): Promise<void> => {
    const { events } = hearings[session]
    const late = wasCut ? pause(folds === 0 ? 0 : FOLDED_MS, 'late', { ref: false }) : new Promise<never>(() => {})
    const isDone = (): boolean => events.filter(({ type }) => type === 'history.folded').length >= folds && !isFolding(events)
    for (let heard: unknown; !isCut() && !isDone() && (heard !== 'late' || isFolding(events)); )
      heard = await Promise.race([changed.promise, ...(heard === 'late' ? [] : [late])])
  }

  const talk = async (url: string, isCut: () => boolean, cut: () => void): Promise<void> => {
    for (const name of NAMES) if (!paths.has(name)) paths.set(name, await clientOf(url).open(WISHES[name]))
    for (const name of NAMES) await follow(url, name, cut)
    for (const message of MESSAGES) {
      if (over.has(message.key)) continue
      if (!taken.has(message.key)) await send(url, message)
      while (!isCut()) {
        const heard = changed.promise
        const open = openTurns(message, hearings[message.session].events)
        if (open.length === 0) break
        const left = open.find(({ turn }) => turn !== undefined)?.turn
        if (left !== undefined && !resumed.has(left)) await resume(url, message, left)
        else await heard
      }
      if (!isCut()) await untilFolded(message, isCut)
      if (isCut()) return
      over.set(message.key, performance.now())
    }
  }

  return {
    hearings,
    over,
    talk: async url => {
      let isCut = false
      const cut = (): void => {
        isCut = true
        wasCut = true
        stir()
      }
      try {
        await talk(url, () => isCut, cut)
      } catch (cause) {
        if (!isReset(cause)) throw cause
      }
      return over.size === MESSAGES.length ? 'done' : 'cut'
    },
  }
}

const FOLDED_MS = 1000

/** Whether a summary is being made. */
const isFolding = (events: readonly Data[]): boolean => {
  const last = events.findLast(({ type, voice }) => (type === 'turn.started' || type === 'turn.ended') && voice === FOLD)
  return last?.type === 'turn.started'
}

/** A gateway that is killed resets whatever it was asked. */
const isReset = (cause: unknown): boolean => cause instanceof TypeError

/** Who has still to answer a message; with their last turn, if that ended without an answer. */
export function openTurns(
  message: Message,
  events: readonly Data[],
  script: Script = SCRIPT,
): readonly { readonly voice: VoiceId; readonly turn?: string }[] {
  const cause = events.find(({ type, key }) => type === 'message.received' && key === message.key)?.seq
  return answering(message, script).flatMap(voice => {
    const started = events.findLast(each => each.type === 'turn.started' && each.cause === cause && each.voice === voice)
    const ended = events.find(each => each.type === 'turn.ended' && each.turn === started?.turn)
    if (started === undefined || ended === undefined) return [{ voice }]
    return ended.reason === 'done' ? [] : [{ voice, turn: started.turn }]
  })
}
