import { argumentsOf } from '../../model/message/call-arguments.ts'
import { checked } from '../input/checked.ts'
import type { Found } from '../input/found.ts'
import type { Place } from '../input/place.ts'
import type { Teller } from '../input/reader.ts'
import { leavesOf, wayTo } from './branches.ts'
import { type ChatgptMessage, chatgptConversation, textOf, thoughtOf } from './chatgpt-content.ts'
import { createRetelling, type Retelling, type Retold, type SaidCall, type SaidPart } from './facts-builder.ts'
import { titleOf, toolName } from './legible.ts'
import { spanOf, timeOf } from './times.ts'

const CHATGPT = { id: 'chatgpt', name: 'ChatGPT' }

/** Conversations of ChatGPT, as its export has them: a tree, of which the branch that was open last is told. */
export function chatgptTeller(retold: Retold, place: Place): Teller {
  const { now, remarks } = retold
  return {
    take: (value): readonly Found[] => {
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
      const retelling = createRetelling({ title: titleOf(whole.title), ...span, ...archived, origin: 'chatgpt' }, retold, place)
      for (const [index, message] of messages.entries()) {
        place.message = index + 1
        tell(message, retelling, retold)
      }
      delete place.message
      return retelling.end()
    },
    end: () => [],
  }
}

/** What was said up to the next message of the person is one turn, with all its thoughts and calls. */
function tell(message: ChatgptMessage, retelling: Retelling, { now, remarks }: Retold): void {
  const { author, content, metadata } = message
  const at = timeOf(message.create_time, now)
  const isSystem = author.role === 'system'
  const isMeant =
    metadata?.is_visually_hidden_from_conversation !== true && content?.content_type?.endsWith('_editable_context') !== true
  if (!isMeant || (isSystem && textOf(message) === '')) remarks.count('hidden')
  else if (isSystem) remarks.count('system')
  else if (author.role === 'user') {
    remarks.count('unheard', metadata?.attachments?.length ?? 0)
    retelling.hear(textOf(message), at)
  } else if (author.role === 'tool') settle(message, retelling, at)
  else if (author.role !== 'assistant') remarks.count('unreadable')
  else {
    const part = partOf(message, at)
    if (part === undefined) remarks.count('empty')
    else retelling.goOn(CHATGPT, [part])
  }
}

/** A thought, a call of a tool, or words; nothing where there are none. */
function partOf(message: ChatgptMessage, at: string | undefined): SaidPart | undefined {
  const { content, recipient } = message
  const thought = thoughtOf(content)
  if (thought !== undefined) return thought.trim() === '' ? undefined : { type: 'think', text: thought, at }
  const text = textOf(message)
  if (recipient != null && recipient !== 'all') {
    const written = argumentsOf(text)
    return { type: 'call', tool: toolName(recipient), ...(written.args === null ? { args: { input: text } } : written), at }
  }
  if (text.trim() === '') return undefined
  return { type: 'text', text: content?.content_type === 'code' ? `\`\`\`\n${text}\n\`\`\`` : text, at }
}

/** A result goes to the last call of its tool, or the last one without any; several of them are one. */
function settle(message: ChatgptMessage, retelling: Retelling, at: string | undefined): void {
  const text = textOf(message)
  const tool = toolName(message.author.name)
  const calls = (retelling.open()?.parts ?? []).filter((part): part is SaidCall => part.type === 'call')
  const asking = calls.findLast(call => call.tool === tool) ?? calls.findLast(call => call.result === undefined)
  if (asking === undefined) {
    if (text.trim() !== '') retelling.goOn(CHATGPT, [{ type: 'text', text: `[${tool}]\n${text}`, at }])
  } else if (asking.result === undefined) asking.result = { ok: message.content?.content_type !== 'system_error', text }
  else asking.result.text = [asking.result.text, text].filter(part => part.trim() !== '').join('\n\n')
}
