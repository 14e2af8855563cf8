// Reads exports of SPACE Terminal.
import { z } from 'zod'
import { fault } from '../../model/fault.ts'
import { SYNTHESIS } from '../../model/settings/council.ts'
import { checked } from '../input/checked.ts'
import type { ArchiveItem } from '../input/found.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { ConversationReader } from '../input/reader.ts'
import {
  createFactsBuilder,
  type FactsBuilder,
  type FactsBuilderNeeds,
  type ForeignPart,
  type ForeignTurn,
} from './facts-builder.ts'
import { importedTitle } from './legible.ts'
import { importedTime, spanOf } from './times.ts'
import { type Advisors, createAdvisors, FOREIGN_ASSISTANT, type ForeignVoice } from './voices.ts'

const words = z.string().nullish()

const response = z.object({
  name: words,
  content: words,
  thinking: words,
  completed: z.boolean().nullish(),
  error: z.unknown().optional(),
})

const message = z.object({
  type: z.string(),
  content: words,
  timestamp: z.unknown().optional(),
  thinking: words,
  isStreaming: z.boolean().nullish(),
  advisorResponses: z.record(z.string(), response).nullish(),
  parsedAdvisors: z.unknown().optional(),
  advisors: z.unknown().optional(),
  synthesis: z.unknown().optional(),
})
type Message = z.infer<typeof message>

const seat = z.object({ id: z.union([z.string(), z.number()]).nullish(), name: z.string() })

const session = z.object({
  title: z.unknown().optional(),
  timestamp: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  advisors: z.array(seat).nullish(),
  messages: z.array(message),
})

/** The content of an `advisor_json` message, as text or already parsed. */
const together = z.object({
  advisors: z.array(z.object({ name: z.string(), response: words, content: words })),
  synthesis: words,
})

/** A bare list of messages is kept in memory until it ends. Browsers store no longer list than this. */
const MOST_HELD = 200_000

/** Reads exports of SPACE Terminal: advisors that answer side by side, and the older message types from before advisors. */
export function spaceConversations(needs: FactsBuilderNeeds, place: FilePosition): ConversationReader {
  const bare: unknown[] = []
  return {
    take: value => {
      if (hasSessions(value)) return value.sessions.flatMap(each => tellSession(each, needs, place))
      if (typeof value === 'object' && value !== null && 'messages' in value) return tellSession(value, needs, place)
      if (bare.length >= MOST_HELD) throw badAt(place, `a session has at most ${MOST_HELD} messages`)
      bare.push(value)
      return []
    },
    end: () => (bare.length === 0 ? [] : tellSession({ messages: bare }, needs, { ...place, conversation: 1 })),
  }
}

const hasSessions = (value: unknown): value is { readonly sessions: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'sessions' in value && Array.isArray(value.sessions)

function tellSession(value: unknown, needs: FactsBuilderNeeds, place: FilePosition): readonly ArchiveItem[] {
  const { now, remarks } = needs
  const {
    title,
    timestamp,
    created_at,
    updated_at,
    advisors: seats,
    messages,
  } = checked(session, value, place, 'a session of SPACE')
  const advisors = createAdvisors()
  // The advisors must be known before the first message: first those with an id, then those with only a name.
  for (const { id, name } of seats ?? []) if (id != null) advisors.byId(String(id), name)
  for (const each of messages)
    for (const [id, { name }] of Object.entries(each.advisorResponses ?? {})) advisors.byId(id, name ?? id)
  const answers = messages.map(each => answersOf(each, advisors))
  for (const { name } of seats ?? []) advisors.byName(name)
  const times = messages.map(each => each.timestamp)
  const span = spanOf({ created: created_at, updated: updated_at ?? timestamp }, times, now)
  const seated = advisors.all()
  const found = {
    title: importedTitle(title),
    ...span,
    ...(seated.length === 0 ? {} : { advisors: seated }),
    origin: 'space',
  } as const
  const builder = createFactsBuilder(found, needs, place)
  for (const [index, each] of messages.entries()) {
    place.message = index + 1
    const at = importedTime(each.timestamp, now)
    const said = answers[index]
    if (said !== undefined) answered(builder, said, at)
    else if (each.type === 'user') builder.hear(each.content ?? '', at)
    else remarks.count(each.type === 'system' ? 'system' : 'unreadable')
  }
  delete place.message
  return builder.end()
}

/** The house answers after all advisors have. */
function answered(builder: FactsBuilder, said: readonly ForeignTurn[], at: string | undefined): void {
  const timed = said.map(answer => ({ ...answer, at }))
  builder.answer(timed.filter(({ by }) => by.id !== SYNTHESIS))
  const house = timed.filter(({ by }) => by.id === SYNTHESIS)
  if (house.length > 0) builder.answer(house)
}

/** The answers in one message, each with its voice. Returns undefined if the message is no answer. */
function answersOf(each: Message, advisors: Advisors): readonly ForeignTurn[] | undefined {
  if (each.type === 'parallel_advisor_response')
    return Object.entries(each.advisorResponses ?? {}).map(([id, response]) =>
      answerOf(advisors.byId(id, response.name ?? id), response),
    )
  if (each.type !== 'advisor_json' && each.type !== 'assistant') return undefined
  const several = severalIn(each)
  if (several === undefined)
    return [answerOf(FOREIGN_ASSISTANT, { ...each, completed: each.isStreaming !== true, error: undefined })]
  const answers = several.advisors.map(({ name, response, content }, index) => ({
    by: advisors.byName(name),
    parts: partsOf(response ?? content, index === 0 ? each.thinking : null),
  }))
  const house: ForeignVoice = { id: SYNTHESIS, name: 'Synthesis' }
  if (several.synthesis == null || several.synthesis.trim() === '') return answers
  return [...answers, { by: house, parts: partsOf(several.synthesis, null), mode: 'brief' }]
}

function answerOf(by: ForeignVoice, { content, thinking, completed, error }: z.infer<typeof response>): ForeignTurn {
  if (error !== undefined && error !== null && error !== false) {
    const why = (content ?? '').replace(/^Error:\s*/, '').trim()
    return {
      by,
      parts: [],
      trouble: { reason: 'failed', fault: fault('unreachable', why === '' ? 'it failed' : why.toWellFormed()) },
    }
  }
  const parts = partsOf(content, thinking)
  return completed === false ? { by, parts, trouble: { reason: 'interrupted', fault: CUT } } : { by, parts }
}

const CUT = fault('cancelled', 'it was cut off where it was said')

const partsOf = (content: string | null | undefined, thinking: string | null | undefined): readonly ForeignPart[] => [
  { type: 'think', text: thinking ?? '' },
  { type: 'text', text: content ?? '' },
]

/** Several advisors in one message: parsed already, as fields of the message, or as JSON that may be in a code block. */
function severalIn({ parsedAdvisors, content, advisors, synthesis }: Message): z.infer<typeof together> | undefined {
  for (const apart of [parsedAdvisors, { advisors, synthesis }]) {
    const parsed = together.safeParse(apart)
    if (parsed.success) return parsed.data
  }
  const text = (content ?? '').trim().replace(/^```(?:json)?\s*|\s*```$/g, '')
  if (!text.startsWith('{')) return undefined
  try {
    const written = together.safeParse(JSON.parse(text))
    return written.success ? written.data : undefined
  } catch {
    return undefined
  }
}
