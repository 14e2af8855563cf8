// Reads messages in OpenAI's JSON Lines format.
import { z } from 'zod'
import { argumentsOf } from '../../model/message/call-arguments.ts'
import { checked } from '../input/checked.ts'
import type { ArchiveItem } from '../input/found.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { ConversationReader } from '../input/reader.ts'
import {
  createFactsBuilder,
  type FactsBuilder,
  type FactsBuilderNeeds,
  type ForeignCall,
  type ForeignPart,
} from './facts-builder.ts'
import { importedTitle, importedToolName } from './legible.ts'
import { importedTime, spanOf } from './times.ts'
import { FOREIGN_ASSISTANT } from './voices.ts'

const piece = z.object({ type: z.string().nullish(), text: z.string().nullish(), refusal: z.string().nullish() })
/** OpenAI's API has arguments as text. Collections of conversations often have them as an object. */
const named = z.object({ name: z.string().nullish(), arguments: z.unknown().optional() })

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(piece)]).nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(z.object({ id: z.string().nullish(), function: named.nullish() })).nullish(),
  tool_call_id: z.string().nullish(),
  function_call: named.nullish(),
  name: z.string().nullish(),
  timestamp: z.unknown().optional(),
})
type Message = z.infer<typeof message>

const conversation = z.object({
  title: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  messages: z.array(message),
})

/** Reads messages in the form of OpenAI's APIs: one conversation on each line, or one message on each line. */
export function openaiConversations(needs: FactsBuilderNeeds, place: FilePosition): ConversationReader {
  let single: FactsBuilder | undefined
  const { now } = needs
  return {
    take: (value): readonly ArchiveItem[] => {
      if (typeof value === 'object' && value !== null && 'messages' in value) {
        const whole = checked(conversation, value, place, 'a conversation in messages')
        const times = whole.messages.map(({ timestamp }) => timestamp)
        const span = spanOf({ created: whole.created_at, updated: whole.updated_at }, times, now)
        const builder = createFactsBuilder({ title: importedTitle(whole.title), ...span, origin: 'openai' }, needs, place)
        for (const [index, each] of whole.messages.entries()) {
          place.message = index + 1
          tell(each, builder, needs, place)
        }
        delete place.message
        return builder.end()
      }
      const each = checked(message, value, place, 'a message with a role and content')
      const span = spanOf({ created: each.timestamp, updated: undefined }, [], now)
      single ??= createFactsBuilder({ title: null, ...span, origin: 'openai' }, needs, place)
      tell(each, single, needs, place)
      return single.finished()
    },
    end: () => single?.end() ?? [],
  }
}

function tell(each: Message, builder: FactsBuilder, { now, remarks }: FactsBuilderNeeds, place: FilePosition): void {
  const at = importedTime(each.timestamp, now)
  switch (each.role) {
    case 'user':
      builder.hear(textOf(each.content), at)
      break
    case 'system':
    case 'developer':
      remarks.count('system')
      break
    case 'assistant':
      answer(partsOf(each, at), builder)
      break
    case 'tool':
    case 'function':
      settle(each, builder, at)
      break
    default:
      throw badAt(place, `"${each.role.slice(0, 40)}" is no role; known are user, assistant, tool, system and developer`)
  }
}

/** Only text that follows the results of its calls belongs to the same turn. */
function answer(parts: readonly ForeignPart[], builder: FactsBuilder): void {
  const isAwaited = builder.open()?.parts.at(-1)?.type === 'call'
  if (!isAwaited) builder.close()
  if (isAwaited || parts.at(-1)?.type === 'call') builder.goOn(FOREIGN_ASSISTANT, parts)
  else builder.answer([{ by: FOREIGN_ASSISTANT, parts }])
}

/** A result goes to the call that it names. A result without such a call is kept as text. */
function settle(each: Message, builder: FactsBuilder, at: string | undefined): void {
  const text = textOf(each.content)
  const calls = (builder.open()?.parts ?? []).filter(
    (part): part is ForeignCall => part.type === 'call' && part.result === undefined,
  )
  const key = each.role === 'function' ? each.name : each.tool_call_id
  const asking = calls.find(call => call.key === key)
  if (asking !== undefined) asking.result = { ok: true, text }
  else builder.goOn(FOREIGN_ASSISTANT, [{ type: 'text', text: `[${importedToolName(each.name)}]\n${text}`, at }])
}

function partsOf(
  { content, reasoning_content, tool_calls, function_call }: Message,
  at: string | undefined,
): readonly ForeignPart[] {
  const parts: ForeignPart[] = [
    { type: 'think', text: reasoning_content ?? '', at },
    { type: 'text', text: textOf(content), at },
  ]
  for (const { id, function: asked } of tool_calls ?? [])
    parts.push({
      type: 'call',
      key: id ?? undefined,
      tool: importedToolName(asked?.name),
      ...argumentsOf(written(asked?.arguments)),
      at,
    })
  if (function_call != null) {
    const { name, arguments: given } = function_call
    parts.push({ type: 'call', key: name ?? undefined, tool: importedToolName(name), ...argumentsOf(written(given)), at })
  }
  return parts.filter(part => part.type === 'call' || part.text.trim() !== '')
}

const written = (given: unknown): string => (typeof given === 'string' ? given : given == null ? '' : JSON.stringify(given))

const textOf = (content: Message['content']): string => {
  if (typeof content === 'string') return content
  return (content ?? [])
    .map(({ type, text, refusal }) => text ?? refusal ?? `[${(type ?? 'part').replace(/_url$|^input_/g, '')}]`)
    .join('\n\n')
}
