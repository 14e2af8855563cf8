import { z } from 'zod'
import { checked } from '../input/checked.ts'
import type { Found } from '../input/found.ts'
import { badAt, type Place } from '../input/place.ts'
import type { Teller } from '../input/reader.ts'
import { createRetelling, type Retold } from './facts-builder.ts'
import { spanOf, timeOf } from './times.ts'
import { ASSISTANT, agentOf } from './voices.ts'

const session = z.object({
  agent: z.string().nullish(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish(), timestamp: z.unknown().optional() })).nullish(),
})

/** Session files of Port 42, the first seed: one agent, and messages by role. */
export function port42Teller(retold: Retold, place: Place): Teller {
  const { now, remarks } = retold
  return {
    take: (value): readonly Found[] => {
      const { agent, created_at, updated_at, messages } = checked(session, value, place, 'a session of Port 42')
      const said = messages ?? []
      const by = agent == null || agent.trim() === '' ? ASSISTANT : agentOf(agent)
      const times = said.map(({ timestamp }) => timestamp)
      const span = spanOf({ created: created_at, updated: updated_at }, times, now)
      const named = agent == null ? {} : { agent: agent.slice(0, 200).toWellFormed() }
      const retelling = createRetelling({ title: null, ...span, ...named, origin: 'port42' }, retold, place)
      for (const [index, { role, content, timestamp }] of said.entries()) {
        place.message = index + 1
        const [text, at] = [content ?? '', timeOf(timestamp, now)]
        if (role === 'user') retelling.hear(text, at)
        else if (role === 'assistant') retelling.answer([{ by, parts: [{ type: 'text', text, at }] }])
        else if (role === 'system') remarks.count('system')
        else throw badAt(place, `"${role.slice(0, 40)}" is no role; known are user, assistant and system`)
      }
      delete place.message
      return retelling.end()
    },
    end: () => [],
  }
}
