import { DatabaseSync } from 'node:sqlite'
import { type Event, parseFact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { isReply } from '../../src/model/message/spoken.ts'
import { isInternalVoice } from '../../src/model/settings/council.ts'
import { spokenText } from '../../src/model/turn-view/join-cuts.ts'
import type { VoiceId } from '../../src/model/voice.ts'
import { replyName } from './conversation.ts'

/** Everything a database has, session by session, read while no gateway has it open, or beside one. */
export type Kept = readonly (readonly Event[])[]

/** Only to read: what a crash left is for the next gateway to mend. */
export function readKept(file: string): Kept {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db
      .prepare('select session, seq, at, type, body from events order by session, seq')
      .all() as unknown as readonly Row[]
    return [...Map.groupBy(rows.map(eventOf), ({ session }) => session).values()]
  } finally {
    db.close()
  }
}

type Row = { session: SessionId; seq: number; at: string; type: string; body: string }

function eventOf({ session, seq, at, type, body }: Row): Event {
  const fact = parseFact(type, body)
  if ('why' in fact) throw new Error(`event ${seq} cannot be read: ${fact.why}`)
  return { ...fact, session, seq, at, tokens: 0 }
}

/** What one voice answered to one message, in however many turns; summaries answer nothing. */
export type Answer = {
  readonly key: string
  readonly voice: VoiceId
  readonly turns: readonly Started[]
  /** Those events of its turns that count: what an interrupted turn had only half said is said anew by the next. */
  readonly events: readonly Event[]
}

type Started = Extract<Event, { type: 'turn.started' }>

export function answersIn(events: readonly Event[]): readonly Answer[] {
  const keys = new Map(events.flatMap(event => (event.type === 'message.received' ? [[event.seq, event.key ?? '']] : [])))
  const started = events.filter(event => event.type === 'turn.started').filter(({ voice }) => !isInternalVoice(voice))
  return [...Map.groupBy(started, ({ cause, voice }) => `${cause} ${voice}`).values()].map(turns => ({
    key: keys.get(turns[0]?.cause ?? 0) ?? '',
    voice: turns[0]?.voice ?? '',
    turns,
    events: turns.flatMap(({ turn }, index) => {
      const own = events.filter(event => 'turn' in event && event.turn === turn)
      return index === turns.length - 1 ? own : withoutCut(own)
    }),
  }))
}

const withoutCut = (events: readonly Event[]): readonly Event[] => {
  const last = events.findLastIndex(({ type }) => type === 'reply.finished')
  return events.filter((event, index) => event.type !== 'reply.broken' || index < last)
}

/** The whole conversation as a person reads it; equal conversations have equal lines. */
export function linesOf(kept: Kept): readonly string[] {
  const lines = kept.flatMap(events => [
    ...events.flatMap(event => (event.type === 'message.received' ? [`${event.key} said ${JSON.stringify(event.text)}`] : [])),
    ...answersIn(events).flatMap(answerLines),
  ])
  return lines.sort()
}

function answerLines({ key, voice, events }: Answer): readonly string[] {
  const calls = events.flatMap(event =>
    event.type === 'reply.finished' ? event.parts.flatMap(part => (part.type === 'call' ? [{ ...part, event }] : [])) : [],
  )
  const settled = events.filter(event => event.type === 'tool.settled')
  return [
    `${voice} answered ${key} with ${JSON.stringify(spokenText(events.filter(isReply)))}`,
    ...calls.map(({ call, tool, args }, index) => {
      const { outcome, content = '' } = settled.find(event => event.call === call) ?? { outcome: 'not settled' }
      return `${voice} answered ${key}, call ${index + 1}: ${tool} ${JSON.stringify(args)}: ${JSON.stringify([outcome, content])}`
    }),
    `${voice} answered ${key} and was ${events.findLast(event => event.type === 'turn.ended')?.reason ?? 'not done'}`,
  ]
}

/** The replies that are there whole, and never need to be asked for again. */
export const repliesIn = (kept: Kept): ReadonlySet<string> =>
  new Set(
    kept
      .flatMap(answersIn)
      .flatMap(({ key, voice, events }) =>
        events.filter(({ type }) => type === 'reply.finished').map((_, step) => replyName(voice, key, step)),
      ),
  )

/** The calls that had begun and were not settled: what became of them nobody can know. */
export const begunIn = (kept: Kept): ReadonlySet<string> =>
  new Set(
    kept
      .flat()
      .flatMap((event, _, all) =>
        event.type === 'tool.started' && !all.some(other => other.type === 'tool.settled' && other.call === event.call)
          ? [event.call]
          : [],
      ),
  )
