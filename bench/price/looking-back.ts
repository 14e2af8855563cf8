// Long chats in which questions about earlier messages come up along the way: those of the recall benchmark, asked in their middle.
import type { Event } from '../../src/model/event.ts'
import { type Conversation, conversationOf, type Turn, VOICE } from '../conversations.ts'
import type { Message, RecallConversation } from '../recall/conversation.ts'
import { bestPassage } from '../recall/measure.ts'
import type { Evidence } from './priced.ts'

export type LookingBack = { readonly conversation: Conversation; readonly evidence: Evidence }

/** A question comes at the earliest so many messages after the last one it is about. */
const LEAST_APART = 40
const SYSTEM = 'You are a good friend. Answer as in a chat, in a few sentences, and remember what you were told.'
/** So many characters of what was found are repeated by the answer. */
const REPEATED = 160

type Said = Pick<Message, 'role' | 'text' | 'time'> & { readonly about?: NonNullable<ReturnType<Evidence['get']>> }
type Exchange = { heard: string; answer: string; readonly at: string; readonly about: Said['about'] }

/** The questions are spread over what follows their evidence, each with an answer that repeats some of it. */
export function lookingBack({ id, messages, questions }: RecallConversation, house: string = SYSTEM): LookingBack {
  const places = new Map(messages.map((message, index) => [message.id, index]))
  const asked = new Map<number, Said[]>()
  for (const [index, { text, evidence, passages }] of questions.entries()) {
    const about = evidence.flatMap(each => messages[places.get(each) ?? -1] ?? [])
    const after = Math.max(...evidence.map(each => places.get(each) ?? 0)) + LEAST_APART
    const place = Math.min(
      messages.length,
      after + Math.floor((((index * 7) % questions.length) * (messages.length - after)) / questions.length),
    )
    const answer = about[0]?.text.slice(0, REPEATED) ?? 'I do not know.'
    const time = messages[place - 1]?.time ?? ''
    const said: readonly Said[] = [
      {
        ...{ role: 'user', text, time },
        about: about.map(({ id: own, text: whole }) => ({ whole, passage: passages?.[own] ?? bestPassage(text, whole) })),
      },
      { role: 'assistant', text: answer, time },
    ]
    asked.set(place, [...(asked.get(place) ?? []), ...said])
  }
  const all = [...messages.keys(), messages.length].flatMap((place): readonly Said[] => {
    const message = messages[place]
    return [...(asked.get(place) ?? []), ...(message === undefined ? [] : [message])]
  })
  return withTimes(`looking back, ${id}`, house, exchangesOf(all))
}

/** Messages of one side that follow each other are one, but a question stays alone. */
function exchangesOf(all: readonly Said[]): readonly Exchange[] {
  const exchanges: Exchange[] = []
  for (const { role, text, time, about } of all) {
    const last = exchanges.at(-1)
    if (role === 'assistant' && last !== undefined) last.answer += `${last.answer === '' ? '' : '\n'}${text}`
    else if (role === 'user' && about === undefined && last !== undefined && last.answer === '') last.heard += `\n${text}`
    else if (role === 'user') exchanges.push({ heard: text, answer: '', at: time, about })
  }
  return exchanges.map(each => (each.answer === '' ? { ...each, answer: 'Yes.' } : each))
}

function withTimes(name: string, system: string, exchanges: readonly Exchange[]): LookingBack {
  const turns = exchanges.map(({ heard, answer }): Turn => ({ heard, voice: VOICE, steps: [{ text: answer, calls: [] }] }))
  const made = conversationOf(name, { system, tools: [] }, turns)
  const evidence = new Map<number, NonNullable<ReturnType<Evidence['get']>>>()
  let turn = -1
  const events = made.events.map((event): Event => {
    if (event.type === 'message.received') turn += 1
    const { at = event.at, about } = exchanges[turn] ?? {}
    if (event.type === 'message.received' && about !== undefined) evidence.set(event.seq, about)
    return { ...event, at }
  })
  return { conversation: { ...made, events }, evidence }
}
