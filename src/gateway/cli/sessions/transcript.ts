import type { Session } from '../../../engine.ts'
import type { Attachment, EndReason, Part, Recorded } from '../../../model/event.ts'
import { hasWords, isCutAtLimit, isReply } from '../../../model/message/spoken.ts'
import { harmless, oneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import { counted, dayOf, fileSize, timeOf } from '../output/phrase.ts'
import { voiceName } from '../output/voice-name.ts'

/** Makes lines of a conversation. */
export type Transcript = {
  /** The lines of one event, given those before it. */
  readonly lines: (event: Recorded) => readonly string[]
  /** What was cut off and is not known to go on. */
  readonly end: () => readonly string[]
}

export function transcriptTitle(session: Session, ink: Ink): readonly string[] {
  const name = oneLine(session.title ?? session.preview ?? '') || '(empty)'
  const facts = [
    session.id,
    ...(session.council === null ? (session.agent === null ? [] : [session.agent]) : [`council ${session.council}`]),
    session.policy,
    counted(session.messages, 'message'),
  ]
  return [ink.bold(name), ink.dim(facts.map(oneLine).join(' · '))]
}

/** A conversation as people read one: who, when, and the words, which can be copied as they stand. */
export function createTranscript(ink: Ink, asShown: (answer: string) => string = asWritten): Transcript {
  const voices = new Map<string, string>()
  const ends = new Map<string, EndReason>()
  /** Replies that were cut off, until it is known whether they go on. */
  const cut = new Map<string, { readonly parts: readonly Part[]; readonly at: string; readonly wentOn: boolean }>()
  const replies = createReplyStates()
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

  /** What was cut off and what it goes on with are one text. */
  const reply = (event: Extract<Recorded, { type: 'reply.finished' | 'reply.broken' }>): readonly string[] => {
    const before = cut.get(event.turn)
    cut.delete(event.turn)
    const parts = before === undefined ? event.parts : joined(before.parts, event.parts)
    if (event.type === 'reply.broken' && parts.length > 0) {
      cut.set(event.turn, { parts, at: event.at, wentOn: before !== undefined })
      return []
    }
    return within(event.turn, event.at, replyLines(parts, before !== undefined))
  }
  const leftOver = (turn: string): readonly string[] => {
    const left = cut.get(turn)
    cut.delete(turn)
    return left === undefined ? [] : within(turn, left.at, replyLines(left.parts, left.wentOn))
  }
  const replyLines = (parts: readonly Part[], wentOn: boolean): readonly string[] => [
    ...parts.flatMap(part => partLines(part, ink, asShown)),
    ...(wentOn ? [ink.dim('↻ was interrupted and went on')] : []),
  ]

  const lines: Transcript['lines'] = event => {
    replies.hear(event)
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
          ...(event.parts !== undefined && event.text.trim() === '' ? [] : [harmless(event.text)]),
        ]
      case 'turn.started':
        voices.set(event.turn, voiceName(event))
        if (event.resumes === undefined) return []
        return within(event.turn, event.at, [
          ink.dim(`↻ ${event.continues === true ? 'continued' : RESUMES[ends.get(event.resumes) ?? 'failed']}`),
        ])
      case 'reply.finished':
      case 'reply.broken':
        return reply(event)
      case 'tool.settled':
        return within(event.turn, event.at, [
          ...(event.argv === undefined ? [] : [ink.dim(`$ ${shownArgv(event.argv)}`)]),
          ink.dim(`← ${event.ok ? '' : 'failed: '}${oneLine(event.outcome)}`),
        ])
      case 'approval.asked':
        return within(event.turn, event.at, [ink.warn(`? waits for a person: ${shownArgv(event.argv)} (${event.approval})`)])
      case 'approval.answered':
        return within(event.turn, event.at, [ink.dim(`? ${ANSWERS[event.answer]}${reasonOf(event.reason)}`)])
      case 'turn.ended':
        ends.set(event.turn, event.reason)
        return [
          ...leftOver(event.turn),
          ...within(event.turn, event.at, endLines(event, ink, { last: replies.of(event.turn), goOn: '"turnwise resume"' })),
        ]
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
  return { lines, end: () => [...cut.keys()].flatMap(leftOver) }
}

export function senderOf({ from, to }: Extract<Recorded, { type: 'message.received' }>): string {
  const sender = from === 'person' ? 'you' : from
  return to === undefined ? sender : `${sender}, to ${to.join(', ')}`
}

/** Without a call that was cut off, which has no whole arguments; thoughts stand above the text that stays whole. */
function joined(before: readonly Part[], after: readonly Part[]): readonly Part[] {
  const kept = before.filter(part => part.type !== 'call')
  const seam = kept.findLastIndex(part => part.type === 'text')
  const next = after.findIndex(part => part.type === 'text')
  const [head, tail] = [kept[seam], after[next]]
  if (head?.type !== 'text' || tail?.type !== 'text') return [...kept, ...after]
  const text: Part = { type: 'text', text: head.text + tail.text }
  return [...kept.slice(0, seam), ...after.slice(0, next), text, ...kept.slice(seam + 1), ...after.slice(next + 1)]
}

const RESUMES: Readonly<Record<EndReason, string>> = {
  failed: 'tried again after it failed',
  interrupted: 'gone on with after it was interrupted',
  cancelled: 'gone on with after it was stopped',
  limit: 'gone on with after it reached its step limit',
  done: 'gone on with',
}

const ANSWERS = {
  once: 'allowed once',
  session: 'allowed for this session',
  always: 'allowed for good',
  deny: 'denied',
} as const

/** What a turn's answer came to: whole, cut at its limit, or nothing but thoughts. */
export type ReplyState = 'whole' | 'cut' | 'empty'

/** Follows what the replies of turns come to. */
export function createReplyStates(): { readonly hear: (event: Recorded) => void; readonly of: (turn: string) => ReplyState } {
  const turns = new Map<string, { readonly hasWords: boolean; readonly isCut: boolean }>()
  return {
    hear: event => {
      if (!isReply(event)) return
      const spoke = turns.get(event.turn)?.hasWords === true || hasWords(event)
      turns.set(event.turn, { hasWords: spoke, isCut: event.type === 'reply.finished' && isCutAtLimit(event) })
    },
    of: turn => {
      const state = turns.get(turn)
      if (state === undefined || !state.hasWords) return 'empty'
      return state.isCut ? 'cut' : 'whole'
    },
  }
}

const reasonOf = (reason: string | undefined): string => (reason === undefined ? '' : `: ${oneLine(reason)}`)

/** Exactly what would be run, each element so that nothing in it can be mistaken for another. */
export const shownArgv = (argv: readonly string[]): string =>
  argv.map(each => (/^[\w./:=@%+,-]+$/.test(each) ? each : oneLine(JSON.stringify(each)))).join(' ')

export function fileLine(file: Attachment): string {
  const bytes = file.type === 'text' ? Buffer.byteLength(file.text) : file.bytes
  return `[${file.type === 'image' ? 'Image' : 'File'} ${oneLine(file.name)}, ${fileSize(bytes)}]`
}

const MARKS = { pin: 'goes with every request', exclude: 'is kept out of every request', none: 'has no mark' } as const

const asWritten = (answer: string): string => harmless(answer).trimEnd()

function partLines(part: Part, ink: Ink, asShown: (answer: string) => string): readonly string[] {
  switch (part.type) {
    case 'text':
      return [asShown(part.text)]
    case 'think':
      return harmless(part.text)
        .trimEnd()
        .split('\n')
        .map(line => ink.dim(`│ ${line}`))
    case 'call':
      return [ink.dim(`→ ${oneLine(`${part.tool} ${part.raw ?? JSON.stringify(part.args)}`)}`)]
  }
}

/** How a turn ended, where that is worth a line; `last` is what its last reply came to, `goOn` how a person lets it go on. */
export function endLines(
  { reason, fault }: Extract<Recorded, { type: 'turn.ended' }>,
  ink: Ink,
  { last, goOn }: { readonly last: ReplyState; readonly goOn: string },
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
      return [ink.bad(`✗ not answered: ${oneLine(fault?.message ?? 'the turn failed')}`)]
    case 'cancelled':
      return [ink.dim('■ stopped by a person')]
    case 'interrupted':
      return [ink.warn(`■ interrupted: ${oneLine(fault?.message ?? 'the gateway stopped')}`)]
    case 'limit':
      return [ink.warn('■ stopped at the step limit')]
  }
}
