import type { Session } from '../../engine.ts'
import type { Attachment, Part, Recorded } from '../../model/event.ts'
import { harmless, oneLine } from './harmless.ts'
import type { Ink } from './ink.ts'
import { counted, dayOf, fileSize, timeOf } from './phrase.ts'

/** The lines of one event, given those before it. */
export type Transcript = (event: Recorded) => readonly string[]

export function transcriptTitle(session: Session, ink: Ink): readonly string[] {
  const name = oneLine(session.title ?? session.preview ?? '') || '(empty)'
  const facts = [
    session.id,
    ...(session.agent === null ? [] : [session.agent]),
    session.policy,
    counted(session.messages, 'message'),
  ]
  return [ink.bold(name), ink.dim(facts.map(oneLine).join(' · '))]
}

/** A conversation as people read one: who, when, and the words, which can be copied as they stand. */
export function createTranscript(ink: Ink): Transcript {
  const voices = new Map<string, string>()
  let day = ''
  let speaking = ''

  const heading = (who: string, name: string, at: string): readonly string[] => {
    if (who === speaking) return []
    speaking = who
    const newDay = dayOf(at) === day ? [] : ['', ink.dim(dayOf(at))]
    day = dayOf(at)
    return [...newDay, '', `${ink.name(oneLine(name))} ${ink.dim(timeOf(at))}`]
  }
  const within = (turn: string, at: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [...heading(turn, voices.get(turn) ?? 'assistant', at), ...lines]

  return event => {
    switch (event.type) {
      case 'message.received':
        return [
          ...heading(`message ${event.seq}`, event.from === 'person' ? 'you' : event.from, event.at),
          ...(event.parts ?? []).map(file => ink.dim(fileLine(file))),
          ...(event.parts !== undefined && event.text.trim() === '' ? [] : [harmless(event.text)]),
        ]
      case 'turn.started':
        voices.set(event.turn, event.voice)
        return []
      case 'reply.finished':
      case 'reply.broken':
        return within(
          event.turn,
          event.at,
          event.parts.flatMap(part => partLines(part, ink)),
        )
      case 'tool.settled':
        return within(event.turn, event.at, [ink.dim(`← ${event.ok ? '' : 'failed: '}${oneLine(event.outcome)}`)])
      case 'approval.asked':
        return within(event.turn, event.at, [ink.warn(`? waits for a person: ${shownArgv(event.argv)} (${event.approval})`)])
      case 'approval.answered':
        return within(event.turn, event.at, [ink.dim(`? ${ANSWERS[event.answer]}${reasonOf(event.reason)}`)])
      case 'turn.ended':
        return within(event.turn, event.at, endLines(event, ink))
      case 'history.folded':
        return ['', ink.dim(`— everything up to seq ${event.through} is folded into a summary —`)]
      case 'message.marked':
        return ['', ink.dim(`— seq ${event.target} ${MARKS[event.mark ?? 'none']} from the next turn on —`)]
      case 'damaged':
        return ['', ink.bad(`seq ${event.seq} cannot be read: ${oneLine(event.why)}`)]
      case 'context.planned':
      case 'tool.started':
      case 'session.changed':
        return []
    }
  }
}

const ANSWERS = {
  once: 'allowed once',
  session: 'allowed for this session',
  always: 'allowed for good',
  deny: 'denied',
} as const

const reasonOf = (reason: string | undefined): string => (reason === undefined ? '' : `: ${oneLine(reason)}`)

/** Exactly what would be run, each element so that nothing in it can be mistaken for another. */
export const shownArgv = (argv: readonly string[]): string =>
  argv.map(each => (/^[\w./:=@%+,-]+$/.test(each) ? each : oneLine(JSON.stringify(each)))).join(' ')

function fileLine(file: Attachment): string {
  const bytes = file.type === 'text' ? Buffer.byteLength(file.text) : file.bytes
  return `[${file.type === 'image' ? 'Image' : 'File'} ${oneLine(file.name)}, ${fileSize(bytes)}]`
}

const MARKS = { pin: 'goes with every request', exclude: 'is kept out of every request', none: 'has no mark' } as const

function partLines(part: Part, ink: Ink): readonly string[] {
  switch (part.type) {
    case 'text':
      return [harmless(part.text).trimEnd()]
    case 'think':
      return harmless(part.text)
        .trimEnd()
        .split('\n')
        .map(line => ink.dim(`│ ${line}`))
    case 'call':
      return [ink.dim(`→ ${oneLine(`${part.tool} ${part.raw ?? JSON.stringify(part.args)}`)}`)]
  }
}

function endLines({ reason, fault }: Extract<Recorded, { type: 'turn.ended' }>, ink: Ink): readonly string[] {
  switch (reason) {
    case 'done':
      return []
    case 'failed':
      return [ink.bad(`✗ not answered: ${oneLine(fault?.message ?? 'the turn failed')}`)]
    case 'cancelled':
      return [ink.dim('■ stopped by a person')]
    case 'interrupted':
      return [ink.warn('■ interrupted, the gateway stopped')]
    case 'limit':
      return [ink.warn('■ stopped at the step limit')]
  }
}
