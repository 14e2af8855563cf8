/** The texts of one message that can be found and quoted: its words, the results it got, and the text files it brought. */
import type { Event, Recorded } from '../../model/event.ts'
import { isReply, type SpokenReply } from '../../model/message/spoken.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { resultText } from '../text/result-text.ts'

/** One text of a message; a result or a file is quoted with its name. */
export type MessageText = { readonly name?: string; readonly text: string }

/** Of a result or a file, so many characters can be found. */
const MOST_FOUND = 256 << 10

/** The texts of a received message or of an answer, from the events it is made of; the words come first. */
export function messageTexts(events: readonly Recorded[]): readonly MessageText[] {
  const replies = events.filter((event): event is SpokenReply => isReply(event))
  const received = events.find((event): event is Received => event.type === 'message.received')
  const words = received === undefined ? spokenText(replies) : received.text
  const files = (received?.parts ?? []).flatMap(file => (file.type === 'text' ? [named(file.name, file.text)] : []))
  const results = events.flatMap(event => (event.type === 'tool.settled' ? [named(event.tool, resultText(event))] : []))
  return [{ text: words }, ...files, ...results]
}

type Received = Extract<Event, { type: 'message.received' }>

const named = (name: string, text: string): MessageText => ({ name, text: text.slice(0, MOST_FOUND) })
