/** A toy channel: people talk over a TCP connection, one JSON object in each line. This file is all that such a channel has to give. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type {
  ChannelAdapter,
  ChannelSignals,
  Incoming,
  Place,
  Receiver,
  SendOptions,
} from '../../../src/gateway/channel/adapter.ts'
import { withRemarks } from '../../../src/gateway/channel/text/answer-text.ts'
import { plain, type RichText } from '../../../src/gateway/channel/text/rich-text.ts'
import { type Fault, fault } from '../../../src/model/fault.ts'
import { err, ok, type Result } from '../../../src/model/result.ts'

export function createLinesAdapter(onListening: (port: number) => void, signals: ChannelSignals): ChannelAdapter {
  const { receiving, sending } = signals
  /** The connection that each chat wrote on last. */
  const connections = new Map<string, Socket>()
  /** Which message has which button: there is nothing to press here, so a person writes the word behind a button. */
  const buttons = new Map<string, string>()

  const read = async (socket: Socket, take: Receiver['take']): Promise<void> => {
    sending.addEventListener('abort', () => socket.destroy())
    for await (const line of createInterface({ input: socket })) {
      const { chat, id, text } = JSON.parse(line) as { readonly chat: string; readonly id: string; readonly text: string }
      if (receiving.aborted) return
      connections.set(chat, socket)
      const [place, button] = [{ chat }, buttons.get(text)]
      const incoming: Incoming =
        button === undefined
          ? { kind: 'written', update: id, place, message: id, text, files: [], isForwarded: false }
          : { kind: 'press', id: chat, place, message: button, data: text }
      // A message that is not acknowledged is sent again.
      if ((await take(incoming)).ok) await write(socket, { taken: id })
    }
  }

  const write = async (socket: Socket | undefined, line: object): Promise<Result<null, Fault>> => {
    if (socket?.writable !== true) return err(fault('unreachable', 'the person is not connected'))
    const failed = await new Promise<unknown>(resolve => socket.write(`${JSON.stringify(line)}\n`, resolve))
    return failed ? err(fault('unreachable', 'the line was cut')) : ok(null)
  }

  /** A new message, or the same one with another text. */
  const show = (place: Place, message: string, { text }: RichText, sent: SendOptions = {}): Promise<Result<null, Fault>> => {
    const choices = sent.buttons?.flat() ?? []
    for (const { data } of choices) buttons.set(data, message)
    const words = [text, ...choices.map(button => `${button.text}: ${button.data}`)].join('\n')
    return write(connections.get(place.chat), {
      message,
      text: words,
      ...(sent.replyTo === undefined ? {} : { replyTo: sent.replyTo }),
    })
  }

  return {
    name: 'lines',
    title: 'Lines',
    pace: { chatMs: 5, restMs: () => 5, typingMs: 1000, backoffMs: 5, mostBackoffMs: 20 },
    connect: async () => ok({ username: '' }),
    receive: async ({ take }) => {
      const server = createServer(socket => void read(socket, take).catch(() => socket.destroy()))
      server.listen(0, '127.0.0.1', () => onListening((server.address() as AddressInfo).port))
      if (!receiving.aborted) await once(receiving, 'abort')
      server.close()
    },
    send: async (place, text, sent) => {
      const message = randomUUID()
      const shown = await show(place, message, text, sent)
      return shown.ok ? ok(message) : shown
    },
    edit: show,
    remove: ({ chat }, message) => write(connections.get(chat), { removed: message }),
    typing: async () => ok(null),
    acknowledge: (chat, words) => write(connections.get(chat), { notice: words }),
    file: async () => err(fault('not-found', 'lines carry no files')),
    format: {
      answer: async answer => [withRemarks(answer, plain(answer.text))].filter(({ text }) => text !== ''),
      text: async text => [text],
    },
  }
}
