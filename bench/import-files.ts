import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { createEngine, memoryLog, weigh } from '../src/index.ts'
import { sure } from './measure.ts'

/** The files that are brought in: our own archive with its receipts, and two that other programs write. */
export const FILES = ['turnwise', 'chatgpt', 'openai'] as const
export type FileOf = (typeof FILES)[number]

/** Messages of one conversation. */
const LONG = 100
const ENOUGH = 1 << 18

/** Writes a file of so many messages. */
export async function writeFile(path: string, kind: FileOf, messages: number): Promise<void> {
  const file = createWriteStream(path)
  let piece = ''
  const write = async (text: string): Promise<void> => {
    piece += text
    if (piece.length < ENOUGH) return
    if (!file.write(piece)) await new Promise(resolve => file.once('drain', resolve))
    piece = ''
  }
  const conversations = Math.ceil(messages / LONG)
  if (kind === 'turnwise') await archive(write, conversations)
  if (kind === 'openai') for (let index = 0; index < conversations; index += 1) await write(`${JSON.stringify(openai(index))}\n`)
  if (kind === 'chatgpt') {
    for (let index = 0; index < conversations; index += 1)
      await write(`${index === 0 ? '[' : ',\n'}${JSON.stringify(chatgpt(index))}`)
    await write(']')
  }
  file.end(piece)
  await finished(file)
}

type Write = (text: string) => Promise<void>

/** What was said, a little different each time, as long as what people and models say on average. */
const words = (conversation: number, message: number): string =>
  `In conversation ${conversation}, as message ${message}: ${message % 2 === 0 ? 'how do boats float, and why does a stone of the same weight sink?' : 'A boat pushes aside as much water as it weighs. A stone cannot, since it is denser than water, and so it sinks to the ground.'}`

const openai = (index: number): object => ({
  messages: Array.from({ length: LONG }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: words(index, at) })),
})

function chatgpt(index: number): object {
  const begun = 1_767_225_600 + index * 1000
  const node = (at: number): object => ({
    id: `n${at}`,
    parent: at === 0 ? null : `n${at - 1}`,
    children: at === LONG - 1 ? [] : [`n${at + 1}`],
    message: {
      ...{
        id: `m${at}`,
        author: { role: at % 2 === 0 ? 'user' : 'assistant' },
        create_time: begun + at,
        status: 'finished_successfully',
      },
      ...{ content: { content_type: 'text', parts: [words(index, at)] }, metadata: {}, recipient: 'all' },
    },
  })
  return {
    ...{ title: `Conversation ${index}`, create_time: begun, update_time: begun + LONG, current_node: `n${LONG - 1}` },
    mapping: Object.fromEntries(Array.from({ length: LONG }, (_, at) => [`n${at}`, node(at)])),
  }
}

/** One real exchange, with its receipt, said again and again. */
async function archive(write: Write, conversations: number): Promise<void> {
  const { session, events, texts } = await exchange()
  await write('{"turnwise":"archive","version":1,"sessions":[')
  for (let index = 0; index < conversations; index += 1) {
    const id = `ses_bench${index.toString(36)}`
    const own = { ...session, id, messages: LONG, preview: words(index, 0).slice(0, 80), family: id }
    await write(`${index === 0 ? '' : ','}\n{"session":${JSON.stringify(own)},"events":[`)
    for (let turn = 0; turn < LONG / 2; turn += 1) {
      const lines = events.map((event, at) => {
        const seq = turn * events.length + at + 1
        return said(event, {
          seq,
          turn: `trn_${index.toString(36)}x${turn}`,
          conversation: index,
          message: turn * 2,
          first: seq - at,
        })
      })
      await write(`${turn === 0 ? '' : ','}\n${lines.join(',\n')}`)
    }
    await write(`\n],"texts":[${texts.map((text, at) => `${at === 0 ? '' : ','}\n${JSON.stringify(text)}`).join('')}\n]}`)
  }
  await write('\n]}\n')
}

type Place = {
  readonly seq: number
  readonly turn: string
  readonly conversation: number
  readonly message: number
  readonly first: number
}
type Line = Readonly<Record<string, unknown>>

function said(event: Line, { seq, turn, conversation, message, first }: Place): string {
  const moved = { ...event, seq, ...('turn' in event ? { turn } : {}), ...('cause' in event ? { cause: first } : {}) }
  if (event.type === 'message.received') return JSON.stringify({ ...moved, text: words(conversation, message) })
  if (event.type !== 'reply.finished') return JSON.stringify(moved)
  return JSON.stringify({ ...moved, parts: [{ type: 'text', text: words(conversation, message + 1) }] })
}

async function exchange(): Promise<{
  readonly session: Line
  readonly events: readonly Line[]
  readonly texts: readonly Line[]
}> {
  const engine = createEngine({ log: memoryLog({ clock: Date.now, weigh }) })
  const { id } = sure(await engine.open({ title: 'Boats' }))
  const { seq } = sure(await engine.say({ session: id, text: 'how do boats float?', from: 'person' }))
  for await (const signal of engine.follow(id, seq, AbortSignal.timeout(60_000))) {
    if (signal.type === 'event' && signal.event.type === 'turn.ended') break
  }
  let text = ''
  for await (const piece of sure(await engine.export(id, 'json')).pieces) text += piece
  await engine.close()
  return JSON.parse(text).sessions[0]
}
