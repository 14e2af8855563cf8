/** Finds the first exchange of a session, asks for a title with it, and reads the title from the answer. */
import type { EventLog } from '../../log/ports.ts'
import type { Event, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { labelOf } from '../../model/message/attachment.ts'
import { isReply } from '../../model/message/spoken.ts'
import type { Aside, SystemPart } from '../../model/plan.ts'
import { ok, type Result } from '../../model/result.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { PROMPTS } from '../council/prompts.ts'
import { isAnswer } from '../council/round-members.ts'
import { requiredAside } from '../council/synthesis.ts'
import { excludedBy } from '../inspect/excluded-messages.ts'

/** The first message that was answered, and its first answer; `end` is where that answer ended. */
export type FirstExchange = {
  readonly cause: number
  readonly end: number
  readonly message: string
  readonly answer: string
}

const PAGE = 500
/** A session without an answer after this many events gets no title from here. */
const MOST_EVENTS = 5000

/** The first exchange of a session, or undefined if there is no answer yet. Messages that a person excluded are skipped. */
export async function firstExchange(log: EventLog, id: SessionId): Promise<Result<FirstExchange | undefined, Fault>> {
  const marks = await log.read(id, { only: 'message.marked' })
  if (!marks.ok) return marks
  const excluded = excludedBy(marks.value)
  const events: Recorded[] = []
  while (events.length < MOST_EVENTS) {
    const page = await log.read(id, { after: events.length, limit: PAGE })
    if (!page.ok) return page
    events.push(...page.value)
    const found = exchangeIn(events, excluded)
    if (found !== undefined || page.value.length < PAGE) return ok(found)
  }
  return ok(undefined)
}

function exchangeIn(events: readonly Recorded[], excluded: ReadonlySet<number>): FirstExchange | undefined {
  for (const event of events) {
    if (event.type !== 'turn.ended' || !isAnswer(event.reason) || isHouseVoice(event.voice)) continue
    const started = events.find(each => each.type === 'turn.started' && each.turn === event.turn)
    const cause = started?.type === 'turn.started' ? started.cause : 0
    const message = events.find((each): each is Received => each.type === 'message.received' && each.seq === cause)
    const replies = events.filter(isReply).filter(({ turn }) => turn === event.turn)
    const answer = spokenText(replies).trim()
    if (message === undefined || answer === '' || [message, ...replies].some(({ seq }) => excluded.has(seq))) continue
    return { cause, end: event.seq, message: wordsOf(message), answer }
  }
  return undefined
}

type Received = Extract<Event, { type: 'message.received' }>

/** A message without words is described by its files. */
const wordsOf = ({ text, parts = [] }: Received): string => (text.trim() === '' ? parts.map(labelOf).join(' ') : text.trim())

/** The tokens of each side that a title is made from: enough to see the topic, and always cheap. */
const MOST_TOKENS = 900
/** No token of an ordinary text is longer than this, on average. */
const MOST_CHARACTERS = MOST_TOKENS * 8

/** The beginning of a conversation as the house reads it; long texts only by how they begin. */
export function beginningAside({ message, answer }: FirstExchange, count: (text: string) => number): Aside {
  const short = (text: string): string => {
    let kept = text.slice(0, MOST_CHARACTERS)
    for (let tokens = count(kept); tokens > MOST_TOKENS; tokens = count(kept))
      kept = kept.slice(0, Math.floor((kept.length * MOST_TOKENS) / tokens) - 1)
    return kept.length === text.length ? text : `${kept.replace(/[\ud800-\udbff]$/, '')} …`
  }
  const blocks = [
    { label: 'The person: ', text: short(message) },
    { label: 'The answer: ', text: short(answer) },
  ]
  return requiredAside('[This is how the conversation begins:\n\n', blocks, ']')
}

/** The system text of a title request; `words` are the workspace's own, if it has them. */
export const titleParts = (words = ''): readonly SystemPart[] => [
  { source: 'prompts/title.md', reason: 'system.agent', text: words.trim() === '' ? PROMPTS.title : words },
]

const LONGEST = 80
/** If a model writes more than this before its title, the answer counts as having no title. */
const MOST_READ = 2000
/** Control characters, and those that change how others are read. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const AROUND = /^[\s"'“”„‟‘’«»`*_#]+|[\s"'“”„‟‘’«»`*_]+$/gu

/** The title in a model's answer: its first line with words, without quotes and markup. Empty if there is none. */
export function titleIn(answer: string): string {
  const lines = answer
    .trimStart()
    .slice(0, MOST_READ)
    .split(/[\r\n\u2028\u2029]+/)
    .map(line => bare(line.replace(/^\W*title\s*:/i, '')))
  const title = lines.find(line => /[\p{L}\p{N}\p{S}]/u.test(line)) ?? ''
  const characters = [...title]
  if (characters.length <= LONGEST) return title
  const cut = characters.slice(0, LONGEST).join('')
  return bare(/\s/.test(cut) ? cut.replace(/\s+\S*$/, '') : cut)
}

/** Quotes may be around a period, or before it. */
function bare(line: string): string {
  const plain = line.replace(UNSEEN, ' ').replace(/\s+/g, ' ').replace(AROUND, '')
  return plain.replace(/(?<!\.)[.。]$/u, '').replace(AROUND, '')
}
