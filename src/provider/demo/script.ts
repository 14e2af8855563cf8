/** What the demo model answers to each request. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { labelOf } from '../../model/message/attachment.ts'
import type { Delta } from '../../model/message/delta.ts'
import type { Message } from '../../model/plan.ts'
import { isFile } from '../transport/join-neighbors.ts'
import { houseWords } from './house.ts'
import { readTranscript } from './transcript.ts'
import type { DemoRequest } from './wire.ts'

/** The demo model's reply to a request: a pure script, word by word. It does not claim to be anything else. */
export function demoScript(request: DemoRequest): readonly Delta[] {
  const { messages, cut } = readTranscript(request.messages)
  const said = until(request.sampling?.stop ?? [], after(cut, answer({ ...request, messages })))
  const words = said.flatMap(delta => ('text' in delta && delta.type !== 'call' ? inWords(delta) : [delta]))
  const output = words.filter(delta => 'text' in delta).length
  return [
    ...words,
    { type: 'usage', usage: { input: tokensSeen(request), output, cacheRead: 0, cacheWrite: 0 } },
    { type: 'done' },
  ]
}

/** The rest of an answer that was cut off. An answer that began with other words is given whole. */
function after(cut: string, said: readonly Delta[]): readonly Delta[] {
  const whole = said.flatMap(delta => (delta.type === 'text' ? [delta.text] : [])).join('')
  if (cut === '' || !whole.startsWith(cut)) return said
  const rest = whole.slice(cut.length)
  return [...(rest === '' ? [] : [text(rest)]), ...said.filter(delta => delta.type === 'call')]
}

/** The answer up to where it would say one of these. */
function until(stops: readonly string[], said: readonly Delta[]): readonly Delta[] {
  const at = said.findIndex(delta => delta.type === 'text' && stops.some(stop => delta.text.includes(stop)))
  const last = said[at]
  if (last?.type !== 'text') return said
  const end = Math.min(...stops.map(stop => last.text.indexOf(stop)).filter(index => index !== -1))
  return [...said.slice(0, at), ...(end === 0 ? [] : [text(last.text.slice(0, end))])]
}

function answer(request: DemoRequest): readonly Delta[] {
  const { messages } = request
  const results = messages.at(-1)?.blocks.filter(block => block.type === 'result') ?? []
  if (results.length > 0) return [text(`The tool answered: ${results.map(result => result.text).join(' · ')}`)]
  // A time stamp is not part of the question.
  const asked = askedIn(messages.findLast(message => message.role === 'user'))
    .replace(/^\[\d{4}-\d\d-\d\dT\d\d:\d\d\] /, '')
    .trim()
  const house = houseWords(request, asked)
  if (house !== undefined) return [text(house)]
  const seen = messages.filter(isSpoken)

  const use = /^use\s+(\S+)\s*([\s\S]*)$/i.exec(asked)
  if (use?.[1] !== undefined) {
    return [
      text(`I will use ${use[1]}. `),
      { type: 'call', call: `call_${request.turn}_${messages.length}`, tool: use[1], text: use[2] || '{}' },
    ]
  }
  const count = /^say\s+(\d{1,5})\s+words\b/i.exec(asked)?.[1]
  if (count !== undefined) return [text(someWords(Number(count)))]
  const topic = /^think about\s+([\s\S]+)$/i.exec(asked)?.[1]
  if (topic !== undefined) {
    return [
      {
        type: 'think',
        text: `They want me to think about ${asSentence(topic)} I am a script, so this thought was written beforehand.`,
      },
      text(`I thought about ${asSentence(topic)} As a script I have no opinion, but you saw the thinking come first.`),
    ]
  }
  if (/^what was my first message\b/i.test(asked)) {
    const first = seen.find(message => message.role === 'user' && !NOTE.test(textOf(message)))
    return [text(`The first message of yours that I can see is: “${textOf(first).trim()}”`)]
  }
  if (/^how many messages do you see\b/i.test(asked)) {
    return [text(`I see ${seen.length} ${seen.length === 1 ? 'message' : 'messages'}, yours just now included.`)]
  }
  if (/^what do you remember\b/i.test(asked)) return [text(memory(seen.slice(0, -1)))]
  return [
    text(
      `I am the demo model, a script that runs offline. This is ${request.voice}, turn ${request.turn}; I saw ${seen.length} ${
        seen.length === 1 ? 'message' : 'messages'
      }. You said: “${shortened(asked)}”\n\n${WAY_IN}`,
    ),
  ]
}

/** A person who meets the script first should not have to look for a real model. */
const WAY_IN = 'Connect a real model on the Models page or with "turnwise connect".'

function memory(earlier: readonly Message[]): string {
  if (earlier.length === 0) return 'Nothing: there is no earlier message in my context. What is not in it, I cannot know.'
  const lines = earlier.map(message => `- ${message.role === 'user' ? 'you' : 'me'}: “${shortened(textOf(message).trim())}”`)
  return `In my context I have ${earlier.length} earlier ${earlier.length === 1 ? 'message' : 'messages'}:\n${lines.join('\n')}\nAnything else that was ever said is not in my context.`
}

/** The note in place of messages that were left out. It is not a message itself. */
const NOTE = /^\[\d+ earlier messages? (is|are) not shown\.\]$/

/** Ends the words as a sentence, so that another one can follow. */
const asSentence = (words: string): string => (/[.!?…]\s*$/.test(words) ? words : `${words.trimEnd()}.`)

const text = (words: string): Delta => ({ type: 'text', text: words })

/** True for messages with words or files. People would not count a list of results as a message. */
const isSpoken = (message: Message): boolean => message.blocks.some(block => block.type === 'text' || isFile(block))

const textOf = (message: Message | undefined): string =>
  (message?.blocks ?? []).flatMap(block => (block.type === 'text' || isFile(block) ? [spoken(block)] : [])).join('\n')

/** The words of a message come after its files. */
const askedIn = (message: Message | undefined): string =>
  message?.blocks.findLast(block => block.type === 'text')?.text ?? textOf(message)

const shortened = (words: string): string => {
  const characters = [...words]
  return characters.length <= 200 ? words : `${characters.slice(0, 200).join('')}…`
}

const inWords = (delta: Extract<Delta, { type: 'text' | 'think' }>): Delta[] =>
  (delta.text.match(/(?<!\s)\s*\S+\s*$|(?<!\s)\s*\S+/g) ?? []).map(word => ({ ...delta, text: word }))

/** Counts with its own tokenizer, o200k, in slices, because the tokenizer is quadratic in an unbroken run. */
const tokensSeen = ({ system, tools, messages }: DemoRequest): number =>
  [system, tools.length === 0 ? '' : JSON.stringify(tools)].reduce((sum, text) => sum + tokensOf(text), 0) +
  messages.reduce((sum, message) => sum + 4 + message.blocks.reduce((inner, block) => inner + tokensOf(spoken(block)), 0), 0)

function spoken(block: Message['blocks'][number]): string {
  if (isFile(block)) return labelOf(block)
  return block.type === 'call' ? `${block.tool} ${block.raw ?? JSON.stringify(block.args)}` : block.text
}

function tokensOf(text: string): number {
  const every = Math.ceil(text.length / MOST_COUNTED)
  const slices = (text.match(/[\s\S]{1,256}/g) ?? []).filter((_, index) => index % Math.max(1, every) === 0)
  const tokens = slices.reduce((sum, slice) => sum + countTokens(slice, { disallowedSpecial: new Set<string>() }), 0)
  return every <= 1 ? tokens : tokens * every
}

/** How much of a text is counted. The rest of a longer text is assumed to be like it. */
const MOST_COUNTED = 1 << 15

const LIST = ['calm', 'river', 'under', 'a', 'wide', 'sky', 'carries', 'small', 'boats', 'to', 'the', 'sea']

/** A number now and then keeps stretches of the text from repeating. */
const someWords = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    (index + 1) % LIST.length === 0 ? `${index + 1}` : LIST[index % LIST.length],
  ).join(' ')
