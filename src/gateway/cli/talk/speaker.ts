/** Prints an answer while it is being given: as words for people, or as lines of JSON. */
import type { Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { HeardDelta } from '../../../model/message/delta.ts'
import { isReply } from '../../../model/message/spoken.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { type AnswerState, answerState, areOneReply } from '../../../model/turn-view/join-cuts.ts'
import { createFreshText } from '../../../model/turn-view/live-text.ts'
import { createTurnViews } from '../../../model/turn-view/turn-view.ts'
import { createTerminalEscaper, escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import type { Terminal } from '../output/terminal.ts'
import { painterFor } from '../terminal/paint/on-terminal.ts'

type Ended = Extract<Recorded, { type: 'turn.ended' }>

/** The result of an answer: its turns, and what went wrong. */
export type AnswerOutcome = {
  readonly endings: readonly (Ended & { readonly answer: AnswerState })[]
  readonly receipt?: Receipt
  readonly fault?: Fault
}

/** Prints an answer as it arrives. */
export type AnswerSpeaker = { readonly hear: (signal: Signal) => void; readonly end: () => AnswerOutcome }

/** A speaker that can print a name above what follows. */
export type TitledSpeaker = AnswerSpeaker & { readonly title: (name: string) => void }

/** Prints one line of JSON for every signal, like the gateway's own streams. */
export function jsonSpeaker({ stdout }: Terminal, session: SessionId): AnswerSpeaker {
  const outcome = recorder()
  return {
    hear: signal => {
      outcome.note(signal)
      stdout.write(`${jsonForTerminal(shown(session, signal))}\n`)
    },
    end: outcome.read,
  }
}

/** Prints only the words on stdout, painted on a terminal. Thinking and tools go to stderr, for people who watch. */
export function textSpeaker(terminal: Terminal, { quiet }: { readonly quiet: boolean }): TitledSpeaker {
  const { stdout, stderr, environment } = terminal
  const outcome = recorder()
  const watched = stderr.isTTY === true && !quiet
  const ink = inkFor(stderr, environment)
  const words = painterFor(terminal) ?? createTerminalEscaper()
  const thoughts = createTerminalEscaper()
  const fresh = createFreshText()
  const views = createTurnViews()
  /** The turn, step and kind being printed now. */
  let place: Pick<HeardDelta, 'turn' | 'step' | 'kind'> | undefined
  let isTitled = false
  let open: 'text' | 'think' | undefined

  const write = (kind: 'text' | 'think', text: string): void => {
    if (text === '') return
    open = text.endsWith('\n') ? undefined : kind
    if (kind === 'text') stdout.write(text)
    else stderr.write(ink.dim(text))
  }
  const closeLine = (): void => {
    write('text', words.end())
    write('think', thoughts.end())
    if (open !== undefined) write(open, '\n')
  }
  const aside = (text: string): void => {
    if (!watched) return
    closeLine()
    stderr.write(`${ink.dim(text)}\n`)
  }
  /** After a cut the same text continues, on the screen too. */
  const isSameText = ({ turn, step, kind }: HeardDelta): boolean => {
    if (place === undefined || kind !== place.kind) return false
    if (place.turn === turn && place.step === step) return true
    const view = views.of(turn)
    return kind === 'text' && view?.turns.includes(place.turn) === true && areOneReply(view.steps, place.step, step)
  }
  const piece = (delta: HeardDelta): void => {
    const { kind } = delta
    if (kind === 'call' || (kind === 'think' && !watched)) return
    const text = fresh(delta)
    if (text === '') return
    if (!isSameText(delta)) closeLine()
    place = delta
    write(kind, (kind === 'text' ? words : thoughts).write(text))
  }

  return {
    title: name => {
      closeLine()
      stdout.write(`${isTitled ? '\n' : ''}${inkFor(stdout, environment).bold(`## ${escapeToOneLine(name)}`)}\n\n`)
      isTitled = true
    },
    hear: signal => {
      outcome.note(signal)
      if (signal.type === 'notice') return aside(escapeToOneLine(signal.notice.message))
      if (signal.type === 'delta') {
        views.hearDelta(signal.delta)
        return piece(signal.delta)
      }
      if (signal.type !== 'event') return
      const { event } = signal
      views.hear(event)
      if (isReply(event)) {
        const { turn, step } = event
        event.parts.forEach((each, part) => {
          if (each.type !== 'call') piece({ turn, step, kind: each.type, part, offset: 0, text: each.text })
        })
      }
      if (event.type === 'tool.started') aside(`→ ${escapeToOneLine(`${event.tool} ${JSON.stringify(event.args)}`)}`)
      if (event.type === 'tool.settled') aside(`← ${escapeToOneLine(event.outcome)}`)
    },
    end: () => {
      closeLine()
      return outcome.read()
    },
  }
}

function recorder(): { readonly note: (signal: Signal) => void; readonly read: () => AnswerOutcome } {
  let outcome: AnswerOutcome = { endings: [] }
  const views = createTurnViews()
  return {
    note: signal => {
      if (signal.type === 'fault') outcome = { ...outcome, fault: signal.fault }
      if (signal.type !== 'event') return
      const { event } = signal
      const view = views.hear(event)
      if (event.type === 'context.planned') outcome = { ...outcome, receipt: event.receipt }
      if (event.type === 'turn.ended')
        outcome = { ...outcome, endings: [...outcome.endings, { ...event, answer: answerState(view?.steps ?? []) }] }
    },
    read: () => outcome,
  }
}

function shown(session: SessionId, signal: Signal): unknown {
  switch (signal.type) {
    case 'event': {
      const { type, tokens: _, ...data } = signal.event
      return { type, ...data }
    }
    case 'delta':
      return { type: signal.type, session, ...signal.delta }
    case 'notice':
      return { type: signal.type, session, ...signal.notice }
    case 'reset':
      return { type: signal.type, session }
    case 'fault':
      return { type: signal.type, session, ...signal.fault }
  }
}
