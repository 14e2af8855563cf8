// Slash commands that show context, usage and exports.
import { type Fault, fault } from '../../../../model/fault.ts'
import { parseApprovalId } from '../../../../model/ids.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { spokenText } from '../../../../model/turn-view/join-cuts.ts'
import { APPROVAL_ANSWERS } from '../../commands/approvals.ts'
import { type ContextOptions, contextCommand } from '../../context/context.ts'
import { approvalLines } from '../../output/approval-lines.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import { counted } from '../../output/phrase.ts'
import { exportCommand } from '../../sessions/export.ts'
import { shownArgv } from '../../sessions/transcript.ts'
import { filesAt } from '../../talk/files.ts'
import type { ChatContext } from '../chat-context.ts'
import { lastAnswer } from '../last-said.ts'
import { attachedNote, type ChatCommand, misused, printed } from './command.ts'

/** The commands that show what was sent, used and said, and export it. */
export const LOOK_COMMANDS: readonly ChatCommand[] = [
  {
    name: 'context',
    takes: '[how] [turn]',
    does: 'show what the model was sent last, or in a turn: list, why, raw, diff, cache or json',
    run: context,
  },
  { name: 'approvals', takes: '[id answer]', does: 'list the calls that wait for a person, or answer one', run: approvals },
  { name: 'file', takes: '<path>', does: 'say the next message with a file or image', run: file },
  {
    name: 'export',
    takes: '[format] [file]',
    does: 'write this session to a file: json, markdown, html or port42',
    run: exported,
  },
  { name: 'copy', does: 'put the last answer on the clipboard of this terminal', run: copy },
]

const NO_SESSION = 'nothing was sent yet; say something first'

const CLOSER = '/context why gives each line its reason, /context raw the request itself, /context diff what changed'

const LOOKS: Readonly<Record<string, ContextOptions>> = {
  list: { closer: CLOSER },
  why: { why: true },
  raw: { raw: true },
  diff: { diff: true },
  cache: { cache: true },
  json: { json: true },
}

async function context(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [, how = 'list', turn] = /^([a-z]+)?\s*([1-9]\d{0,8})?$/.exec(rest) ?? ['', rest]
  const options = Object.hasOwn(LOOKS, how) ? LOOKS[how] : undefined
  if (options === undefined) return misused(`/context takes ${Object.keys(LOOKS).join(', ')}, the number of a turn, or nothing`)
  if (!chatContext.isOpen()) return misused(NO_SESSION)
  const which = turn === undefined ? {} : { turn: Number(turn) }
  return printed(contextCommand(chatContext.terminal, chatContext.about().id, { ...options, ...which }))
}

async function approvals(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest !== '') return answered(chatContext, rest)
  const waiting = await chatContext.act(verbs => verbs.approvals())
  if (!waiting.ok) return waiting
  for (const item of waiting.value) {
    chatContext.print(`${item.approval}  ${escapeToOneLine(item.tool)}: ${shownArgv(item.argv)}`)
    for (const line of approvalLines(item)) chatContext.print(line)
  }
  chatContext.note(waiting.value.length === 0 ? 'nothing waits' : `/approvals <id> ${APPROVAL_ANSWERS.join(' | ')} [reason]`)
  return ok(null)
}

async function answered(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const [written = '', word, ...words] = rest.split(/\s+/)
  const answer = APPROVAL_ANSWERS.find(each => each === word)
  if (answer === undefined) return misused(`say how: /approvals ${escapeToOneLine(written)} ${APPROVAL_ANSWERS.join(' | ')}`)
  const id = parseApprovalId(written)
  if (!id.ok) return id
  const reason = words.length === 0 ? [] : [words.join(' ')]
  return chatContext.act(verbs => verbs.answer(id.value, answer, ...reason))
}

async function file(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest === '') return misused('say which file, as in /file notes.md')
  const { HOME } = chatContext.terminal.environment
  const read = await filesAt([HOME === undefined ? rest : rest.replace(/^~(?=\/)/, HOME)])
  if (!read.ok) return read
  chatContext.files.push(...read.value)
  chatContext.note(attachedNote(chatContext.files))
  return ok(null)
}

/** Always writes to a file, because the terminal already shows the conversation. */
async function exported(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused(NO_SESSION)
  const [word = '', ...words] = rest.split(/\s+/)
  const format = word === '' ? 'json' : word
  const ending = Object.hasOwn(ENDINGS, format) ? ENDINGS[format] : undefined
  if (ending === undefined) return misused(`/export takes a format first: ${Object.keys(ENDINGS).join(', ')}`)
  const { id } = chatContext.about()
  const output = words.length === 0 ? `${id}.${ending}` : words.join(' ')
  const code = await exportCommand(chatContext.terminal, id, { format, output })
  if (code === 0) chatContext.note(`written to ${escapeToOneLine(output)}`)
  return ok(null)
}

const ENDINGS: Readonly<Record<string, string>> = { json: 'json', markdown: 'md', html: 'html', port42: 'port42.json' }

/** The size that terminals commonly accept. They would cut or refuse a longer text silently. */
const LONGEST_COPY = 74_000

async function copy(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (chatContext.clipboard === undefined) return misused('/copy needs a terminal')
  if (!chatContext.isOpen()) return misused(NO_SESSION)
  const replies = await lastAnswer(chatContext.reader, chatContext.about().id)
  if (!replies.ok) return replies
  const text = spokenText(replies.value)
  const data = Buffer.from(text).toString('base64')
  if (data.length > LONGEST_COPY)
    return err(fault('too-large', `the answer is too long for a terminal's clipboard; /export markdown writes it to a file`))
  chatContext.clipboard(data)
  chatContext.note(`${counted([...text].length, 'character')} sent to the clipboard, where this terminal allows that`)
  return ok(null)
}
