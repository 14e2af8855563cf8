import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { outcomeWords, parsePress } from './approval.ts'
import type { BotApi } from './bot-api.ts'
import type { Notebook } from './channel-store.ts'
import { parseCommand } from './commands.ts'
import { plain } from './format/formatted.ts'
import type { Intake } from './intake.ts'
import type { Pairings } from './pairing.ts'
import type { Incoming, Press, Written } from './update.ts'

export type PorterOptions = {
  readonly engine: Engine
  readonly api: Pick<BotApi, 'send' | 'pressed'>
  readonly notebook: Notebook
  readonly intake: Intake
  readonly pairings: Pairings
  readonly username: string
  readonly isAllowed: (chat: number) => boolean
  readonly clock: () => number
  readonly onBug: (cause: unknown) => void
  /** Told of strangers, now and then. */
  readonly onStranger: (line: string) => void
}

const HOUR_MS = 3_600_000
const MOST_LINES = 10
const MOST_SEEN = 1000

/** Stands at the door: whoever is on the list comes in, a stranger is answered by silence unless it knows a code. */
export function createPorter(options: PorterOptions): (incoming: Incoming) => Promise<Result<null, Fault>> {
  const { engine, api, notebook, intake, pairings, username, isAllowed, clock, onStranger, onBug } = options
  /** Strangers' updates that were looked at: one that comes twice is no second try. */
  const seen = new Set<number>()
  const lines = new Map<number, number>()

  const stranger = async (written: Written): Promise<Result<null, Fault>> => {
    if (seen.has(written.update)) return ok(null)
    if (seen.size >= MOST_SEEN) seen.clear()
    const { chat } = written.place
    const command = written.isForwarded || written.files.length > 0 ? undefined : parseCommand(written.text, username)
    if (typeof command === 'object' && command.name === 'pair' && command.argument !== '') {
      const verdict = pairings.said(chat, command.argument)
      if (typeof verdict === 'object') {
        const paired = await notebook.pair(chat)
        if (paired.ok) return intake.tell(written, 'paired')
        verdict.putBack()
        return paired
      }
      if (verdict === 'wrong')
        api.send(written.place, plain('That code is not right, or no longer valid.'), { replyTo: written.message }).catch(onBug)
    } else mention(chat)
    seen.add(written.update)
    return ok(null)
  }

  /** A line for the operator: one an hour for each chat, and not more than a few. */
  const mention = (chat: number): void => {
    const now = clock()
    for (const [known, at] of lines) if (at < now - HOUR_MS) lines.delete(known)
    if (lines.has(chat) || lines.size >= MOST_LINES) return
    lines.set(chat, now)
    onStranger(
      `Telegram: chat ${chat} is not on the list and hears nothing; to let it in, add ${chat} to channels.telegram.chats, or run "turnwise telegram pair"`,
    )
  }

  /** Only a button of a message that we sent to this very chat counts; the first answer does, wherever it comes from. */
  const pressed = async ({ id, place, message, data }: Press): Promise<Result<null, Fault>> => {
    const press = parsePress(data)
    const isOurs =
      press !== undefined &&
      notebook
        .open()
        .some(({ place: { chat }, posts }) => chat === place.chat && posts[press.approval]?.includes(message) === true)
    if (press === undefined || !isOurs) {
      api.pressed(id, 'This is no longer asked.').catch(onBug)
      return ok(null)
    }
    const answered = await engine.answer(press.approval, press.answer)
    if (!answered.ok && answered.fault.retryable) return answered
    api.pressed(id, answered.ok ? outcomeWords({ answer: press.answer }) : 'This was answered already.').catch(onBug)
    return ok(null)
  }

  return async incoming => {
    if (incoming.kind === 'nothing') return ok(null)
    if (incoming.kind === 'press') return isAllowed(incoming.place.chat) ? pressed(incoming) : ok(null)
    return isAllowed(incoming.place.chat) ? intake.take(incoming) : stranger(incoming)
  }
}
