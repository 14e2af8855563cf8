// Slash commands that retry, edit, fork and mark.
import type { InboundPart, Session } from '../../../../engine.ts'
import type { Event, Mark } from '../../../../model/event.ts'
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { counted } from '../../output/phrase.ts'
import type { ChatContext } from '../chat-context.ts'
import { headOf, lastMarkable, lastMessage } from '../last-said.ts'
import { type ChatCommand, misused, seqOf } from './command.ts'

/** The commands that go back, continue, and mark messages. They delete nothing: going back happens in a fork. */
export const REVISE_COMMANDS: readonly ChatCommand[] = [
  { name: 'retry', does: 'have the last message answered once more, in a fork', run: retry },
  { name: 'edit', does: 'reword the last message in $EDITOR and say it in a fork', run: edit },
  { name: 'undo', does: 'go back to before the last message, in a fork', run: undo },
  { name: 'resume', does: 'continue what failed, was interrupted or cut off', run: resume },
  { name: 'cancel', does: 'stop what is being said; it is kept as far as it came', run: cancel },
  {
    name: 'pin',
    takes: '[seq] [project | everywhere]',
    does: 'send a message with every request; the last one by default, also in other chats if you say so',
    run: marking('pin'),
  },
  { name: 'exclude', takes: '[seq]', does: 'keep a message out of every request', run: marking('exclude') },
  { name: 'unpin', takes: '[seq]', does: 'take the mark off a message again', run: marking(null) },
]

const NOTHING_YET = 'nothing was said here yet'

/**
 * Makes a fork and does something in it at once; removes the fork again if that fails. `redo` is the message to do again: an
 * answer that was running when it arrived stays.
 */
async function inFork(
  chatContext: ChatContext,
  at: number,
  redo: number,
  act: (fork: Session) => Promise<Result<unknown, Fault>>,
): Promise<Result<unknown, Fault>> {
  const before = chatContext.about()
  const forked = await chatContext.act(verbs => verbs.fork(before.id, at, redo))
  if (!forked.ok) return forked
  const entered = await chatContext.enter(forked.value, { withPast: false })
  const done = entered.ok ? await act(forked.value) : entered
  if (done.ok) return done
  await chatContext.enter(before, { withPast: false })
  await chatContext.act(verbs => verbs.remove(forked.value.id))
  return done
}

async function retry(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  const message = await lastMessage(chatContext.reader, chatContext.about().id)
  if (!message.ok) return message
  const { seq } = message.value
  return inFork(chatContext, seq, seq, async fork => {
    chatContext.note('asked again, in a fork; /tree shows both')
    const head = await headOf(chatContext.reader, fork.id)
    return head.ok ? chatContext.follower.resume(fork.id, head.value) : head
  })
}

async function edit(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  if (chatContext.compose === undefined) return misused('/edit needs a terminal; say it in other words instead')
  const { id } = chatContext.about()
  const message = await lastMessage(chatContext.reader, id)
  if (!message.ok) return message
  const { seq, text, to, parts } = message.value
  const files = await filesOf(chatContext, parts ?? [])
  if (!files.ok) return files
  const written = await chatContext.compose(text)
  if (!written.ok) return written
  const reworded = written.value.trim()
  if (reworded === '' || reworded === text.trim()) {
    chatContext.note('nothing was changed')
    return ok(null)
  }
  const saying = {
    text: reworded,
    ...(to === undefined ? {} : { to }),
    ...(files.value.length === 0 ? {} : { parts: files.value }),
  }
  return inFork(chatContext, seq - 1, seq, fork => {
    chatContext.note('said in other words, in a fork; /tree shows both')
    return chatContext.follower.say(fork.id, saying)
  })
}

async function undo(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  const message = await lastMessage(chatContext.reader, chatContext.about().id)
  if (!message.ok) return message
  const { seq } = message.value
  return inFork(chatContext, seq - 1, seq, async () => {
    chatContext.note(`before that message, in a fork; /tree shows both`)
    return ok(null)
  })
}

async function resume(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused(NOTHING_YET)
  const { id } = chatContext.about()
  const head = await headOf(chatContext.reader, id)
  return head.ok ? chatContext.follower.resume(id, head.value) : head
}

async function cancel(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused('nothing is being said')
  const stopped = await chatContext.act(verbs => verbs.cancel(chatContext.about().id))
  return stopped.ok && stopped.value.length === 0 ? misused('nothing is being said') : stopped
}

const REACHES = ['project', 'everywhere'] as const
const REACH_WORDS = { project: ', in all chats of this project', everywhere: ', in every chat' } as const

function marking(mark: Mark | null): ChatCommand['run'] {
  const usage = mark === null ? '/unpin' : `/${mark}`
  return async (chatContext, typed) => {
    const [, rest = '', wide] = /^(.*?)\s*\b(project|everywhere)?$/.exec(typed) ?? []
    const reach = REACHES.find(each => each === wide)
    if (reach !== undefined && mark !== 'pin') return misused(`${usage} takes a seq; only a pin reaches other chats`)
    const seq = seqOf(rest, usage)
    if (!seq.ok) return seq
    if (!chatContext.isOpen()) return misused(NOTHING_YET)
    const { id } = chatContext.about()
    const meant = seq.value === undefined ? await meantBy(chatContext, mark) : await eventAt(chatContext, seq.value)
    if (!meant.ok) return meant
    for (const { seq: target } of meant.value) {
      const marked = await chatContext.act(verbs => verbs.mark(id, target, mark, reach))
      if (!marked.ok) return marked
    }
    chatContext.note(`${markWords(mark, meant.value)}${reach === undefined ? '' : REACH_WORDS[reach]}`)
    return ok(null)
  }
}

/** Without a seq this is the last message, or, when a mark is removed, the one that was marked last. */
async function meantBy(chatContext: ChatContext, mark: Mark | null): Promise<Result<readonly Marked[], Fault>> {
  const { id } = chatContext.about()
  if (mark !== null) return lastMarkable(chatContext.reader, id)
  const marks = await chatContext.reader.read(id, { only: 'message.marked', newest: true, limit: 1 })
  if (!marks.ok) return marks
  const [newest] = marks.value
  return newest?.type === 'message.marked' ? eventAt(chatContext, newest.target) : misused('nothing is marked here')
}

type Marked = Pick<Event, 'seq' | 'tokens'>

/** The event at this seq. The engine decides whether it can be marked. */
async function eventAt(chatContext: ChatContext, seq: number): Promise<Result<readonly Marked[], Fault>> {
  const found = await chatContext.reader.read(chatContext.about().id, { after: seq - 1, through: seq })
  return found.ok ? ok(found.value.length === 0 ? [{ seq, tokens: 0 }] : found.value) : found
}

function markWords(mark: Mark | null, marked: readonly Marked[]): string {
  const seqs = `seq ${marked.map(({ seq }) => seq).join(', ')}`
  const cost = `about ${counted(
    marked.reduce((sum, { tokens }) => sum + tokens, 0),
    'token',
  )}`
  if (mark === 'pin') return `${seqs} goes with every request from the next turn on, ${cost} each time`
  if (mark === 'exclude') return `${seqs} is kept out of every request from the next turn on, ${cost} less`
  return `${seqs} has no mark from the next turn on`
}

/** The files of a message, in the form in which they are sent again. */
async function filesOf(chatContext: ChatContext, parts: Attachments): Promise<Result<readonly InboundPart[], Fault>> {
  const again: InboundPart[] = []
  for (const part of parts) {
    const { name, mediaType } = part
    const kept =
      part.type === 'text'
        ? ok({ bytes: Buffer.from(part.text) })
        : await chatContext.reader.file(chatContext.about().id, part.hash)
    if (!kept.ok) return kept
    const type = part.type === 'image' ? 'image' : 'file'
    again.push({ type, name, mediaType, data: Buffer.from(kept.value.bytes).toString('base64') })
  }
  return ok(again)
}

type Attachments = NonNullable<Extract<Event, { type: 'message.received' }>['parts']>
