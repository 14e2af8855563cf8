/** Decides who may speak: lets chats on the list in, pairs a stranger who knows a code, and stays silent to all others. */
import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { ChannelAdapter, Incoming, Press, Written } from './adapter.ts'
import type { ChannelStore } from './channel-store.ts'
import { parseCommand } from './commands.ts'
import type { Inbox } from './inbox.ts'
import type { Pairings } from './pairing.ts'
import { outcomeWords, parsePress } from './text/approval-words.ts'
import { plain } from './text/rich-text.ts'

export type AccessCheckOptions = {
  readonly engine: Engine
  readonly adapter: Pick<ChannelAdapter, 'name' | 'title' | 'send' | 'acknowledge'>
  readonly store: ChannelStore
  readonly inbox: Inbox
  readonly pairings: Pairings
  readonly username: string
  readonly isAllowed: (chat: string) => boolean
  readonly clock: () => number
  readonly onBug: (cause: unknown) => void
  /** Gets a line for the operator about strangers, now and then. */
  readonly onStranger: (line: string) => void
}

const HOUR_MS = 3_600_000
const MOST_LINES = 10
const MOST_SEEN = 1000

export function createAccessCheck(options: AccessCheckOptions): (incoming: Incoming) => Promise<Result<null, Fault>> {
  const { engine, adapter, store, inbox, pairings, username, isAllowed, clock, onStranger, onBug } = options
  /** Messages of strangers that were read: one that comes twice is no second try of a code. */
  const seen = new Set<string>()
  const mentioned = new Map<string, number>()

  const fromStranger = async (written: Written): Promise<Result<null, Fault>> => {
    if (seen.has(written.update)) return ok(null)
    if (seen.size >= MOST_SEEN) seen.clear()
    const { chat } = written.place
    const command = written.isForwarded || written.files.length > 0 ? undefined : parseCommand(written.text, username)
    if (typeof command === 'object' && command.name === 'pair' && command.argument !== '') {
      const verdict = await pairings.tryCode(chat, command.argument)
      if (typeof verdict === 'object') {
        const paired = await store.pair(chat)
        if (paired.ok) return inbox.reply(written, 'paired')
        await verdict.putBack()
        return paired
      }
      if (verdict === 'wrong')
        adapter
          .send(written.place, plain('That code is not right, or no longer valid.'), { replyTo: written.message })
          .catch(onBug)
    } else mention(chat)
    seen.add(written.update)
    return ok(null)
  }

  /** A line for the operator: one an hour for each chat, and a few in all. */
  const mention = (chat: string): void => {
    const now = clock()
    for (const [known, at] of mentioned) if (at < now - HOUR_MS) mentioned.delete(known)
    if (mentioned.has(chat) || mentioned.size >= MOST_LINES) return
    mentioned.set(chat, now)
    const { name, title } = adapter
    onStranger(
      `${title}: chat ${chat} is not on the list and hears nothing; to let it in, add ${chat} to channels.${name}.chats, or run "turnwise ${name} pair"`,
    )
  }

  /** Only a button of a message that we sent to this very chat counts. The first answer decides, also one from another client. */
  const fromButton = async ({ id, place, message, data }: Press): Promise<Result<null, Fault>> => {
    const press = parsePress(data)
    const isOurs =
      press !== undefined &&
      store.open().some(({ place: { chat }, posts }) => chat === place.chat && posts[press.approval]?.includes(message) === true)
    if (press === undefined || !isOurs) {
      adapter.acknowledge(id, 'This is no longer asked.').catch(onBug)
      return ok(null)
    }
    const answered = await engine.answer(press.approval, press.answer)
    if (!answered.ok && answered.fault.retryable) return answered
    adapter.acknowledge(id, answered.ok ? outcomeWords({ answer: press.answer }) : 'This was answered already.').catch(onBug)
    return ok(null)
  }

  return async incoming => {
    const isListed = isAllowed(incoming.place.chat)
    if (incoming.kind === 'press') return isListed ? fromButton(incoming) : ok(null)
    return isListed ? inbox.take(incoming) : fromStranger(incoming)
  }
}
