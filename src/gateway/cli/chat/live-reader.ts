// Follows a session while a person types.
import { randomUUID } from 'node:crypto'
import type { Engine, Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok } from '../../../model/result.ts'
import { usageSum } from '../../../model/usage.ts'
import type { ChatFollower } from './chat-context.ts'
import type { Tally } from './footer.ts'
import type { GatewayLink } from './link.ts'
import { type Looks, showPast } from './past.ts'
import type { Questions } from './questions.ts'
import type { ChatScreen } from './screen.ts'
import type { SideBySideVoices } from './sides.ts'
import { isBackgroundVoice } from './voices.ts'

/** Follows a session while the person types, and shows everything said in it, from here and from other clients. */
export type LiveReader = ChatFollower & {
  readonly isBusy: () => boolean
  /** Whether no answer is running, not even in a session that the person left during one. */
  readonly isQuiet: () => boolean
  /** Stops the running answers. */
  readonly stop: () => Promise<void>
  readonly close: () => void
}

export type LiveReaderOptions = {
  readonly link: GatewayLink
  readonly reader: Engine
  readonly screen: ChatScreen
  readonly looks: Looks
  readonly voices: Pick<SideBySideVoices, 'hear' | 'forget'>
  readonly questions: Questions
  readonly tally: Tally
  readonly note: (line: string) => void
  /** Called for an event that may change what the chat shows around the conversation. */
  readonly onNews: (event: Recorded) => void
  readonly onBug: (cause: unknown) => void
  /** The keys of messages typed here, which are on the screen already. */
  readonly own: Set<string>
}

const WHILE_IT_RUNS = 'said while an answer is being given: its next step hears it, or it is answered after it'

export function createLiveReader(options: LiveReaderOptions): LiveReader {
  const { link, reader, screen, looks, voices, questions, tally, note, onNews, onBug, own } = options
  let current: SessionId | undefined
  let following = new AbortController()
  /** Turns that run, and turns that ended before this reader learned that they had started. */
  let [open, over] = [new Set<string>(), new Set<string>()]
  /** Turns of the house, such as summaries: they do not keep a person waiting, but the engine must not rest meanwhile. */
  const behind = new Set<string>()
  let isStopping = false
  const left = new Set<SessionId>()

  const begins = (turn: string): void => {
    if (!over.has(turn)) open.add(turn)
  }
  const cancel = async (id: SessionId): Promise<void> => {
    const stopped = await link.act(verbs => verbs.cancel(id))
    if (!stopped.ok) note(stopped.fault.message)
  }
  const keepTrack = (id: SessionId, event: Recorded): void => {
    if (event.type === 'turn.started' && isBackgroundVoice(event.voice)) behind.add(event.turn)
    else if (event.type === 'turn.started') begins(event.turn)
    // A stop that came before the turn began found nothing to stop.
    if (event.type === 'context.planned' && isStopping && open.has(event.turn)) cancel(id).catch(onBug)
    if (event.type !== 'turn.ended') return
    behind.delete(event.turn)
    open.delete(event.turn)
    over.add(event.turn)
    if (open.size === 0) isStopping = false
  }
  const hear = (id: SessionId, signal: Signal): void => {
    if (signal.type === 'event') keepTrack(id, signal.event)
    if (signal.type === 'fault') note(signal.fault.message)
    voices.hear(signal)
    questions.hear(signal)
    if (signal.type !== 'event') return
    tally.hear(signal.event)
    onNews(signal.event)
  }
  const follow = async (id: SessionId, after: number, abort: AbortSignal): Promise<void> => {
    for await (const signal of link.follow(id, after, abort)) {
      if (abort.aborted) continue
      try {
        hear(id, signal)
      } catch (cause) {
        // An event that cannot be shown must not prevent the rest of the session from being shown.
        onBug(cause)
      }
    }
  }

  return {
    isBusy: () => open.size > 0,
    isQuiet: () => open.size === 0 && left.size === 0 && behind.size === 0,
    enter: async (session, { withPast }) => {
      const past = session === undefined ? undefined : await showPast(reader, session, looks)
      if (past?.ok === false) return past
      const used = session === undefined ? ok([]) : await reader.usage({ session: session.id })
      if (!used.ok) return used
      following.abort()
      following = new AbortController()
      if (current !== undefined && open.size > 0) left.add(current)
      if (session !== undefined) left.delete(session.id)
      questions.forget()
      voices.forget()
      behind.clear()
      ;[open, over, isStopping, current] = [new Set(), new Set(), false, session?.id]
      tally.begin(usageSum(used.value))
      if (session === undefined || past === undefined) return ok(null)
      if (withPast) screen.lines('', ...past.value.lines, '')
      tally.recall(past.value.events)
      follow(session.id, past.value.after, following.signal).catch(onBug)
      return ok(null)
    },
    say: async (session, message) => {
      const key = randomUUID()
      own.add(key)
      const wasBusy = open.size > 0
      const said = await link.act(verbs => verbs.say({ session, from: 'person', key, ...message }))
      if (!said.ok) return said
      for (const turn of said.value.turns) begins(turn)
      if (wasBusy) note(WHILE_IT_RUNS)
      return said
    },
    resume: async (session, _, turn) => {
      const begun = await link.act(verbs => verbs.resume(session, turn))
      if (begun.ok) for (const each of begun.value) begins(each)
      return begun
    },
    stop: async () => {
      if (current === undefined || open.size === 0) return
      isStopping = true
      await cancel(current)
    },
    close: () => following.abort(),
  }
}
