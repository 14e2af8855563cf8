// Reads claude.ai exports.
import { z } from 'zod'
import type { Attachment } from '../../model/event.ts'
import { checked } from '../input/checked.ts'
import type { ArchiveItem } from '../input/found.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { ConversationReader } from '../input/reader.ts'
import { leavesOf, wayTo } from './branches.ts'
import { createFactsBuilder, type FactsBuilderNeeds, type ForeignCall, type ForeignPart } from './facts-builder.ts'
import { importedFileName, importedTitle, importedToolName } from './legible.ts'
import { importedTime, spanOf } from './times.ts'

/** A field of an unexpected type counts as missing, because exports change from month to month. */
const words = z.string().nullish().catch(null)
const piece = z.object({
  type: z.string(),
  text: words,
  thinking: words,
  id: words,
  name: words,
  input: z.unknown().optional(),
  tool_use_id: words,
  content: z.unknown().optional(),
  is_error: z.boolean().nullish().catch(null),
})

const message = z.object({
  uuid: words,
  parent_message_uuid: words,
  sender: z.string(),
  text: words,
  content: z.array(piece).nullish(),
  created_at: z.unknown().optional(),
  attachments: z
    .array(z.object({ file_name: z.unknown().optional(), extracted_content: words }))
    .nullish()
    .catch(null),
  files: z
    .array(z.object({ file_name: z.unknown().optional() }))
    .nullish()
    .catch(null),
})
type Message = z.infer<typeof message>

const conversation = z.object({
  name: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  current_leaf_message_uuid: words,
  chat_messages: z.array(message),
})

const CLAUDE = { id: 'claude', name: 'Claude' }

/** Reads conversations of a claude.ai export. */
export function claudeConversations(needs: FactsBuilderNeeds, place: FilePosition): ConversationReader {
  const { now, remarks } = needs
  return {
    take: (value): readonly ArchiveItem[] => {
      const whole = checked(conversation, value, place, 'a conversation of Claude')
      const messages = openBranch(whole.chat_messages, whole.current_leaf_message_uuid, branches =>
        remarks.count('branch', branches),
      )
      const times = messages.map(({ created_at }) => created_at)
      const span = spanOf({ created: whole.created_at, updated: whole.updated_at }, times, now)
      const builder = createFactsBuilder({ title: importedTitle(whole.name), ...span, origin: 'claude' }, needs, place)
      const places = new Map(whole.chat_messages.map((each, index) => [each, index + 1]))
      for (const each of messages) {
        place.message = places.get(each) ?? 1
        const at = importedTime(each.created_at, now)
        if (each.sender === 'human') {
          const named = (each.files ?? []).map(({ file_name }) => `[file: ${importedFileName(file_name, 'without a name')}]`)
          remarks.count('missing-file', named.length)
          builder.hear([wordsOf(each), ...named].filter(text => text.trim() !== '').join('\n\n'), at, filesOf(each))
        } else if (each.sender === 'assistant') builder.answer([{ by: CLAUDE, parts: partsOf(each, at), at }])
        else throw badAt(place, `"${each.sender.slice(0, 40)}" is no sender; known are human and assistant`)
      }
      delete place.message
      return builder.end()
    },
    end: () => [],
  }
}

/** The branch that was open last. A file that does not mark branches has only one. */
function openBranch(
  messages: readonly Message[],
  leaf: string | null | undefined,
  others: (branches: number) => void,
): readonly Message[] {
  const nodes = new Map(messages.flatMap(each => (each.uuid == null ? [] : [[each.uuid, each] as const])))
  if (nodes.size < messages.length || messages.some(each => each.parent_message_uuid == null)) return messages
  const last = leaf != null && nodes.has(leaf) ? leaf : (messages.at(-1)?.uuid ?? '')
  others(leavesOf(nodes, each => each.parent_message_uuid).filter(id => id !== last).length)
  return wayTo(nodes, last, each => each.parent_message_uuid)
}

const wordsOf = ({ content, text }: Message): string => {
  const written = (content ?? []).flatMap(each => (each.type === 'text' || each.type === 'voice_note' ? [each.text ?? ''] : []))
  return written.some(each => each.trim() !== '') ? written.join('\n\n') : (text ?? '')
}

const filesOf = ({ attachments }: Message): readonly Attachment[] =>
  (attachments ?? []).flatMap(({ file_name, extracted_content }) => {
    if (extracted_content == null || extracted_content === '') return []
    const name = importedFileName(file_name, 'pasted text')
    return [{ type: 'text' as const, name, mediaType: 'text/plain', text: extracted_content.toWellFormed() }]
  })

function partsOf(each: Message, at: string | undefined): readonly ForeignPart[] {
  const parts: ForeignPart[] = []
  const waiting = new Map<string, ForeignCall>()
  for (const one of each.content ?? []) {
    const tool = importedToolName(one.name)
    if (one.type === 'tool_use') {
      const call: ForeignCall = { type: 'call', tool, args: one.input ?? {}, at }
      waiting.set(one.id ?? tool, call)
      parts.push(call)
    } else if (one.type === 'tool_result') {
      const text = resultOf(one.content)
      // Older exports give calls no id. There the result goes to the last call of the same tool.
      const key = one.tool_use_id != null && waiting.has(one.tool_use_id) ? one.tool_use_id : tool
      const asking = waiting.get(key)
      if (asking === undefined) parts.push({ type: 'text', text: `[${tool}]\n${text}`, at })
      else asking.result = { ok: one.is_error !== true, text }
      waiting.delete(key)
    } else if (one.type === 'thinking') parts.push({ type: 'think', text: one.thinking ?? '', at })
    else if (one.text != null) parts.push({ type: 'text', text: one.text, at })
  }
  return parts.length === 0 ? [{ type: 'text', text: each.text ?? '', at }] : parts
}

const listed = z.array(z.object({ type: z.string().nullish(), text: words, title: words, url: words }))

function resultOf(content: unknown): string {
  if (typeof content === 'string') return content
  const pieces = listed.safeParse(content)
  if (!pieces.success) return content == null ? '' : JSON.stringify(content)
  return pieces.data
    .map(({ type, text, title, url }) => text ?? ([title, url].filter(part => part != null).join(' ') || `[${type ?? 'part'}]`))
    .join('\n\n')
}
