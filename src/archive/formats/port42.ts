// Reads session files of Port 42.
import { z } from 'zod'
import { checked } from '../input/checked.ts'
import type { ArchiveItem } from '../input/found.ts'
import { badAt, type FilePosition } from '../input/place.ts'
import type { ConversationReader } from '../input/reader.ts'
import { createFactsBuilder, type FactsBuilderNeeds } from './facts-builder.ts'
import { importedTime, spanOf } from './times.ts'
import { FOREIGN_ASSISTANT, foreignAgent } from './voices.ts'

const session = z.object({
  agent: z.string().nullish(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish(), timestamp: z.unknown().optional() })).nullish(),
})

/** Reads session files of Port 42: one agent, and messages by role. */
export function port42Conversations(needs: FactsBuilderNeeds, place: FilePosition): ConversationReader {
  const { now, remarks } = needs
  return {
    take: (value): readonly ArchiveItem[] => {
      const { agent, created_at, updated_at, messages } = checked(session, value, place, 'a session of Port 42')
      const said = messages ?? []
      const by = agent == null || agent.trim() === '' ? FOREIGN_ASSISTANT : foreignAgent(agent)
      const times = said.map(({ timestamp }) => timestamp)
      const span = spanOf({ created: created_at, updated: updated_at }, times, now)
      const named = agent == null ? {} : { agent: agent.slice(0, 200).toWellFormed() }
      const builder = createFactsBuilder({ title: null, ...span, ...named, origin: 'port42' }, needs, place)
      for (const [index, { role, content, timestamp }] of said.entries()) {
        place.message = index + 1
        const [text, at] = [content ?? '', importedTime(timestamp, now)]
        if (role === 'user') builder.hear(text, at)
        else if (role === 'assistant') builder.answer([{ by, parts: [{ type: 'text', text, at }] }])
        else if (role === 'system') remarks.count('system')
        else throw badAt(place, `"${role.slice(0, 40)}" is no role; known are user, assistant and system`)
      }
      delete place.message
      return builder.end()
    },
    end: () => [],
  }
}
