import type { Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { HeardDelta } from '../../../model/message/delta.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { createHarmless, harmlessJson, oneLine } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import type { Terminal } from '../output/terminal.ts'
import { createReplyStates, type ReplyState } from '../sessions/transcript.ts'
import { painterFor } from '../terminal/paint/on-terminal.ts'

type Ended = Extract<Recorded, { type: 'turn.ended' }>

/** How an answer came out: the turns it took, and what went wrong on the way. */
export type Outcome = {
  readonly endings: readonly (Ended & { readonly answer: ReplyState })[]
  readonly receipt?: Receipt
  readonly fault?: Fault
}

/** Prints an answer while it is being given. */
export type Speaker = { readonly hear: (signal: Signal) => void; readonly end: () => Outcome }

/** A speaker that puts a name above what follows. */
export type TitledSpeaker = Speaker & { readonly title: (name: string) => void }

/** One line of JSON for every signal, as the gateway's own streams have them. */
export function jsonSpeaker({ stdout }: Terminal, session: SessionId): Speaker {
  const outcome = recorder()
  return {
    hear: signal => {
      outcome.note(signal)
      stdout.write(`${harmlessJson(shown(session, signal))}\n`)
    },
    end: outcome.read,
  }
}

/** The words on stdout and nothing else, painted on a terminal; thinking and tools on stderr, for people who watch. */
export function textSpeaker(terminal: Terminal, { quiet }: { readonly quiet: boolean }): TitledSpeaker {
  const { stdout, stderr, environment } = terminal
  const outcome = recorder()
  const watched = stderr.isTTY === true && !quiet
  const ink = inkFor(stderr, environment)
  const words = painterFor(terminal) ?? createHarmless()
  const thoughts = createHarmless()
  const printed = new Map<string, number>()
  let place = ''
  /** The step of a turn that a text goes on with after a cut. */
  let afterCut = ''
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
  /** Deltas may be missed, events may not: whatever of a part was not printed yet is printed now. */
  const piece = ({ turn, step, kind, part, offset, text }: HeardDelta): void => {
    if (kind === 'call' || (kind === 'think' && !watched)) return
    const key = `${turn} ${step} ${part}`
    const before = printed.get(key) ?? 0
    if (offset > before || offset + text.length <= before) return
    const isGoingOn = kind === 'text' && afterCut === `${turn} ${step}` && open !== 'think'
    if (place !== `${turn} ${step} ${kind}` && !isGoingOn) closeLine()
    place = `${turn} ${step} ${kind}`
    printed.set(key, offset + text.length)
    write(kind, (kind === 'text' ? words : thoughts).write(text.slice(before - offset)))
  }

  return {
    title: name => {
      closeLine()
      stdout.write(`${isTitled ? '\n' : ''}${inkFor(stdout, environment).bold(`## ${oneLine(name)}`)}\n\n`)
      isTitled = true
    },
    hear: signal => {
      outcome.note(signal)
      if (signal.type === 'notice') return aside(oneLine(signal.notice.message))
      if (signal.type === 'delta') return piece(signal.delta)
      if (signal.type !== 'event') return
      const { event } = signal
      if (event.type === 'reply.finished' || event.type === 'reply.broken') {
        const { turn, step } = event
        event.parts.forEach((each, part) => {
          if (each.type !== 'call') piece({ turn, step, kind: each.type, part, offset: 0, text: each.text })
        })
        // What follows a cut is the same text, also on the page.
        if (event.type === 'reply.broken' && place === `${turn} ${step} text`) afterCut = `${turn} ${step + 1}`
      }
      if (event.type === 'tool.started') aside(`→ ${oneLine(`${event.tool} ${JSON.stringify(event.args)}`)}`)
      if (event.type === 'tool.settled') aside(`← ${oneLine(event.outcome)}`)
    },
    end: () => {
      closeLine()
      return outcome.read()
    },
  }
}

function recorder(): { readonly note: (signal: Signal) => void; readonly read: () => Outcome } {
  let outcome: Outcome = { endings: [] }
  const replies = createReplyStates()
  return {
    note: signal => {
      if (signal.type === 'fault') outcome = { ...outcome, fault: signal.fault }
      if (signal.type !== 'event') return
      const { event } = signal
      replies.hear(event)
      if (event.type === 'context.planned') outcome = { ...outcome, receipt: event.receipt }
      if (event.type === 'turn.ended')
        outcome = { ...outcome, endings: [...outcome.endings, { ...event, answer: replies.of(event.turn) }] }
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
