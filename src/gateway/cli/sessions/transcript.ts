/** A conversation as lines for people: who, when, and the words, which can be copied as they are. */

import type { Session } from '../../../engine.ts'
import type { Attachment, EndReason, Recorded } from '../../../model/event.ts'
import type { TurnId } from '../../../model/ids.ts'
import type { SpokenReply } from '../../../model/message/spoken.ts'
import { FOLD } from '../../../model/settings/council.ts'
import {
  type AnswerState,
  answerState,
  cutStepOf,
  firstBroken,
  isCut,
  joinedReplies,
} from '../../../model/turn-view/join-cuts.ts'
import type { PartView } from '../../../model/turn-view/step-view.ts'
import { createTurnViews, type TurnView } from '../../../model/turn-view/turn-view.ts'
import { escapeForTerminal, escapeToOneLine } from '../output/escape-for-terminal.ts'
import { foldSentence } from '../output/fold-words.ts'
import type { Ink } from '../output/ink.ts'
import { counted, dayWords, fileSize, timeWords } from '../output/phrase.ts'
import { voiceName } from '../output/voice-name.ts'

/** Turns the events of a conversation into lines. */
export type TranscriptLines = {
  /** The lines of one event, given the events before it. */
  readonly lines: (event: Recorded) => readonly string[]
  /** The end of an answer that reached its limit and has no continuation yet. A reader who follows does not wait for one. */
  readonly atLimit: () => readonly string[]
  /** The lines of everything that was cut and has no continuation. */
  readonly end: () => readonly string[]
}

export function transcriptTitle(session: Session, ink: Ink): readonly string[] {
  const name = escapeToOneLine(session.title ?? session.preview ?? '') || '(empty)'
  const facts = [
    session.id,
    ...(session.council === null ? (session.agent === null ? [] : [session.agent]) : [`council ${session.council}`]),
    session.policy,
    counted(session.messages, 'message'),
  ]
  return [ink.bold(name), ink.dim(facts.map(escapeToOneLine).join(' · '))]
}

/** Prints a conversation for people: who, when, and the words, which can be copied. */
export function createTranscript(ink: Ink, asShown: (answer: string) => string = asWritten): TranscriptLines {
  const voices = new Map<string, string>()
  const ends = new Map<string, EndReason>()
  const views = createTurnViews()
  /** When each held-back answer was last heard. An answer is held back until it is known whether it continues. */
  const kept = new Map<TurnId, string>()
  /** The end of an answer that reached its limit, while a later turn may still continue it. */
  let limited: { readonly first: TurnId; readonly end: Extract<Recorded, { type: 'turn.ended' }> } | undefined
  /** How many steps of each answer are printed. */
  const printed = new Map<TurnId, number>()
  let day = ''
  let speaking = ''

  const heading = (who: string, name: string, at: string): readonly string[] => {
    if (who === speaking) return []
    speaking = who
    const newDay = dayWords(at) === day ? [] : ['', ink.dim(dayWords(at))]
    day = dayWords(at)
    return [...newDay, '', `${ink.name(escapeToOneLine(name))} ${ink.dim(timeWords(at))}`]
  }
  const folding = new Set<string>()
  const within = (turn: string, at: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [...heading(turn, voices.get(turn) ?? 'assistant', at), ...lines]

  /** A reply that was cut off and its continuation are one text, so the first part waits for the rest. */
  const reply = (event: SpokenReply & { readonly at: string }, view: TurnView): readonly string[] => {
    const [first] = view.turns
    if (!isCut(cutStepOf(event)) || (event.parts.length === 0 && !kept.has(first))) return rest(view, event.at)
    kept.set(first, event.at)
    return []
  }
  /** The steps of an answer that are not printed yet. */
  const rest = ({ turns: [first], steps }: TurnView, at: string): readonly string[] => {
    const said = steps.slice(printed.get(first) ?? 0, steps.findLastIndex(({ seq }) => seq !== null) + 1)
    printed.set(first, (printed.get(first) ?? 0) + said.length)
    kept.delete(first)
    const parts = joinedReplies(said).flatMap(each => each.parts)
    return within(first, at, [
      ...parts.flatMap(({ part }) => partLines(part, ink, asShown)),
      ...(firstBroken(said) === undefined ? [] : [ink.dim('↻ was interrupted and went on')]),
    ])
  }
  const leftOver = (view: TurnView): readonly string[] => {
    const at = kept.get(view.turns[0])
    return at === undefined ? [] : rest(view, at)
  }
  const ended = (event: Extract<Recorded, { type: 'turn.ended' }>, view: TurnView): readonly string[] => {
    const [first] = view.turns
    const lines = [
      ...leftOver(view),
      ...within(first, event.at, endLines(event, ink, { last: answerState(view.steps), goOn: '"turnwise resume"' })),
    ]
    views.forget(first)
    printed.delete(first)
    return lines
  }
  const atLimit = (): readonly string[] => {
    const view = limited === undefined ? undefined : views.of(limited.first)
    const lines = limited === undefined || view === undefined ? [] : ended(limited.end, view)
    limited = undefined
    return lines
  }
  /** Whether an event continues the answer that just reached its limit. */
  const continues = (event: Recorded): boolean =>
    event.type === 'turn.started' && event.continues === true && limited?.end.turn === event.resumes

  const lines: TranscriptLines['lines'] = event => {
    if (!continues(event)) return SILENT.has(event.type) ? own(event) : [...atLimit(), ...own(event)]
    limited = undefined
    views.hear(event)
    return []
  }
  const own = (event: Recorded): readonly string[] => {
    // What the house says to fold a stretch becomes the fold, which has a line of its own.
    if (event.type === 'turn.started' && event.voice === FOLD) folding.add(event.turn)
    if (event.type !== 'history.folded' && 'turn' in event && folding.has(event.turn)) return []
    const view = views.hear(event)
    switch (event.type) {
      case 'message.received':
        if (event.exchange !== undefined) {
          const { round, of } = event.exchange
          speaking = `message ${event.seq}`
          return ['', ink.dim(`— the advisors answer each other, round ${round} of ${of} —`)]
        }
        return [
          ...heading(`message ${event.seq}`, senderOf(event), event.at),
          ...(event.parts ?? []).map(file => ink.dim(fileLine(file))),
          ...(event.parts !== undefined && event.text.trim() === '' ? [] : [escapeForTerminal(event.text)]),
        ]
      case 'turn.started':
        voices.set(event.turn, voiceName(event))
        if (event.resumes === undefined) return []
        return within(event.turn, event.at, [
          ink.dim(`↻ ${event.continues === true ? 'continued' : RESUMES[ends.get(event.resumes) ?? 'failed']}`),
        ])
      case 'reply.finished':
      case 'reply.broken':
        return view === undefined ? [] : reply(event, view)
      case 'tool.settled':
        return within(event.turn, event.at, [
          ...(event.argv === undefined ? [] : [ink.dim(`$ ${shownArgv(event.argv)}`)]),
          ink.dim(`← ${event.ok ? '' : 'failed: '}${escapeToOneLine(event.outcome)}`),
        ])
      case 'approval.asked':
        return within(event.turn, event.at, [ink.warn(`? waits for a person: ${shownArgv(event.argv)} (${event.approval})`)])
      case 'approval.answered':
        return within(event.turn, event.at, [ink.dim(`? ${ANSWERS[event.answer]}${reasonOf(event.reason)}`)])
      case 'turn.ended':
        ends.set(event.turn, event.reason)
        if (view === undefined) return []
        if (event.reason !== 'done' || answerState(view.steps) !== 'cut') return ended(event, view)
        limited = { first: view.turns[0], end: event }
        return []
      case 'history.folded':
        return ['', ink.dim(`— ${foldSentence(event)} —`)]
      case 'message.marked':
        return ['', ink.dim(`— seq ${event.target} ${MARKS[event.mark ?? 'none']} from the next turn on —`)]
      case 'damaged':
        return ['', ink.bad(`seq ${event.seq} cannot be read: ${escapeToOneLine(event.why)}`)]
      case 'context.planned':
      case 'tool.started':
      case 'session.changed':
        return []
    }
  }
  return {
    lines,
    atLimit,
    end: () => [...atLimit(), ...[...kept.keys()].flatMap(first => views.of(first) ?? []).flatMap(leftOver)],
  }
}

/** Events that print nothing on their own. */
const SILENT: ReadonlySet<Recorded['type']> = new Set(['context.planned', 'tool.started', 'session.changed'])

export function senderOf({ from, to }: Extract<Recorded, { type: 'message.received' }>): string {
  const sender = from === 'person' ? 'you' : from
  return to === undefined ? sender : `${sender}, to ${to.join(', ')}`
}

const RESUMES: Readonly<Record<EndReason, string>> = {
  failed: 'tried again after it failed',
  interrupted: 'gone on with after it was interrupted',
  cancelled: 'gone on with after it was stopped',
  limit: 'gone on with after it reached a limit',
  done: 'gone on with',
}

const ANSWERS = {
  once: 'allowed once',
  session: 'allowed for this session',
  always: 'allowed for good',
  deny: 'denied',
} as const

const reasonOf = (reason: string | undefined): string => (reason === undefined ? '' : `: ${escapeToOneLine(reason)}`)

/** Exactly the command that would run, with each argument quoted so that it cannot be mistaken for another. */
export const shownArgv = (argv: readonly string[]): string =>
  argv.map(each => (/^[\w./:=@%+,-]+$/.test(each) ? each : escapeToOneLine(JSON.stringify(each)))).join(' ')

export function fileLine(file: Attachment): string {
  const bytes = file.type === 'text' ? Buffer.byteLength(file.text) : file.bytes
  return `[${file.type === 'image' ? 'Image' : 'File'} ${escapeToOneLine(file.name)}, ${fileSize(bytes)}]`
}

const MARKS = {
  pin: 'goes with every request',
  exclude: 'is kept out of every request',
  removed: 'is removed',
  none: 'has no mark',
} as const

const asWritten = (answer: string): string => escapeForTerminal(answer).trimEnd()

function partLines(part: PartView, ink: Ink, asShown: (answer: string) => string): readonly string[] {
  switch (part.type) {
    case 'text':
      return [asShown(part.text)]
    case 'think':
      return escapeForTerminal(part.text)
        .trimEnd()
        .split('\n')
        .map(line => ink.dim(`│ ${line}`))
    case 'call':
      return [ink.dim(`→ ${escapeToOneLine(`${part.tool} ${part.raw ?? JSON.stringify(part.args)}`)}`)]
  }
}

/** How a turn ended, if that deserves a line. `last` is the state of its last reply, `goOn` the command that continues it. */
export function endLines(
  { reason, fault }: Extract<Recorded, { type: 'turn.ended' }>,
  ink: Ink,
  { last, goOn }: { readonly last: AnswerState; readonly goOn: string },
): readonly string[] {
  switch (reason) {
    case 'done':
      if (last === 'whole') return []
      return [
        last === 'cut'
          ? ink.warn(`■ cut off at the reply limit; ${goOn} continues it`)
          : ink.bad(`✗ the answer is empty; ${goOn} asks again`),
      ]
    case 'failed':
      return [ink.bad(`✗ not answered: ${escapeToOneLine(fault?.message ?? 'the turn failed')}`)]
    case 'cancelled':
      return [ink.dim('■ stopped by a person')]
    case 'interrupted':
      return [ink.warn(`■ interrupted: ${escapeToOneLine(fault?.message ?? 'the gateway stopped')}`)]
    case 'limit':
      return [ink.warn(`■ stopped${fault === undefined ? ' at the step limit' : `: ${escapeToOneLine(fault.message)}`}`)]
  }
}
