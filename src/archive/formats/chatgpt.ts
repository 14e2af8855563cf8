// Reads ChatGPT exports.
import { argumentsOf } from '../../model/message/call-arguments.ts'
import { checked } from '../input/checked.ts'
import type { ArchiveItem } from '../input/found.ts'
import type { FilePosition } from '../input/place.ts'
import type { ConversationReader } from '../input/reader.ts'
import { leavesOf, wayTo } from './branches.ts'
import { type ChatgptMessage, chatgptConversation, chatgptText, thoughtOf } from './chatgpt-content.ts'
import {
  createFactsBuilder,
  type FactsBuilder,
  type FactsBuilderNeeds,
  type ForeignCall,
  type ForeignPart,
} from './facts-builder.ts'
import { importedTitle, importedToolName } from './legible.ts'
import { importedTime, spanOf } from './times.ts'

const CHATGPT = { id: 'chatgpt', name: 'ChatGPT' }

/** Reads conversations of a ChatGPT export. Each is a tree, and only the branch that was open last is imported. */
export function chatgptConversations(needs: FactsBuilderNeeds, place: FilePosition): ConversationReader {
  const { now, remarks } = needs
  return {
    take: (value): readonly ArchiveItem[] => {
      const whole = checked(chatgptConversation, value, place, 'a conversation of ChatGPT')
      const nodes = new Map(Object.entries(whole.mapping))
      const leaves = leavesOf(nodes, ({ parent }) => parent)
      const { current_node } = whole
      const last = current_node != null && nodes.has(current_node) ? current_node : (leaves.at(-1) ?? '')
      remarks.count('branch', leaves.filter(id => id !== last).length)
      const messages = wayTo(nodes, last, ({ parent }) => parent).flatMap(({ message }) => (message == null ? [] : [message]))
      const times = messages.map(({ create_time }) => create_time)
      const span = spanOf({ created: whole.create_time, updated: whole.update_time }, times, now)
      const archived = whole.is_archived === true ? { archived: true } : {}
      const builder = createFactsBuilder(
        { title: importedTitle(whole.title), ...span, ...archived, origin: 'chatgpt' },
        needs,
        place,
      )
      for (const [index, message] of messages.entries()) {
        place.message = index + 1
        tell(message, builder, needs)
      }
      delete place.message
      return builder.end()
    },
    end: () => [],
  }
}

/** Everything up to the person's next message is one turn, with all its thoughts and calls. */
function tell(message: ChatgptMessage, builder: FactsBuilder, { now, remarks }: FactsBuilderNeeds): void {
  const { author, content, metadata } = message
  const at = importedTime(message.create_time, now)
  const isSystem = author.role === 'system'
  const isMeant =
    metadata?.is_visually_hidden_from_conversation !== true && content?.content_type?.endsWith('_editable_context') !== true
  if (!isMeant || (isSystem && chatgptText(message) === '')) remarks.count('hidden')
  else if (isSystem) remarks.count('system')
  else if (author.role === 'user') {
    remarks.count('missing-file', metadata?.attachments?.length ?? 0)
    builder.hear(chatgptText(message), at)
  } else if (author.role === 'tool') settle(message, builder, at)
  else if (author.role !== 'assistant') remarks.count('unreadable')
  else {
    const part = partOf(message, at)
    if (part === undefined) remarks.count('empty')
    else builder.goOn(CHATGPT, [part])
  }
}

/** A thought, a tool call or a text. Returns undefined for an empty message. */
function partOf(message: ChatgptMessage, at: string | undefined): ForeignPart | undefined {
  const { content, recipient } = message
  const thought = thoughtOf(content)
  if (thought !== undefined) return thought.trim() === '' ? undefined : { type: 'think', text: thought, at }
  const text = chatgptText(message)
  if (recipient != null && recipient !== 'all') {
    const written = argumentsOf(text)
    return {
      type: 'call',
      tool: importedToolName(recipient),
      ...(written.args === null ? { args: { input: text } } : written),
      at,
    }
  }
  if (text.trim() === '') return undefined
  return { type: 'text', text: content?.content_type === 'code' ? `\`\`\`\n${text}\n\`\`\`` : text, at }
}

/**
 * A result goes to the last call of its tool, or else to the last call without a result. Several results of a call are
 * joined.
 */
function settle(message: ChatgptMessage, builder: FactsBuilder, at: string | undefined): void {
  const text = chatgptText(message)
  const tool = importedToolName(message.author.name)
  const calls = (builder.open()?.parts ?? []).filter((part): part is ForeignCall => part.type === 'call')
  const asking = calls.findLast(call => call.tool === tool) ?? calls.findLast(call => call.result === undefined)
  if (asking === undefined) {
    if (text.trim() !== '') builder.goOn(CHATGPT, [{ type: 'text', text: `[${tool}]\n${text}`, at }])
  } else if (asking.result === undefined) asking.result = { ok: message.content?.content_type !== 'system_error', text }
  else asking.result.text = [asking.result.text, text].filter(part => part.trim() !== '').join('\n\n')
}
