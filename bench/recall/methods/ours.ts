// Our own engine: the conversation is imported, and each question is a dry run whose request is read.
import { setTimeout } from 'node:timers/promises'
import { createEngine, type Engine, type EngineOptions, memoryLog, presets, weigh } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { sure } from '../../measure.ts'
import type { Message, RecallConversation } from '../conversation.ts'
import type { Method } from '../measure.ts'

const DAY = 86_400_000
/** No conversation is longer, so the model's window never decides. */
const WINDOW = 2_000_000
const SESSION = 'ses_recall'
const MOST_TRIES = 500
export const BUDGETS = [1000, 2000, 4000, 8000] as const

/** What makes one of our engines different from another. */
type Special = Omit<EngineOptions, 'log' | 'clock' | 'policies' | 'models' | 'house' | 'limits'>

/** Our engine by words alone, and with the word vectors that come with it. */
export const ourMethods: readonly Method[] = [ours('ours without vectors', { vectorsFile: null }), ours('ours with vectors', {})]

function ours(name: string, special: Special): Method {
  return {
    name,
    ask: async conversation => {
      const engine = engineWith(conversation, special)
      const [id] = sure(await engine.import(archiveOf(conversation))).ids
      if (id === undefined) throw new Error(`${conversation.id} was not imported`)
      await untilIndexed(engine, id, eventsOf(conversation.messages).length)
      return async ({ text }, budget) => {
        const { request } = sure(await engine.wouldSend(id, { text, policy: policyName(budget) }))
        return request === null ? [] : textsIn(request.body)
      }
    },
  }
}

/** The index is filled behind the import; receipts say how far. An engine that looks nothing up has nothing to wait for. */
async function untilIndexed(engine: Engine, id: SessionId, head: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { receipt } = sure(await engine.wouldSend(id, { text: 'What did we decide?', policy: policyName(BUDGETS[0]) }))
    const { inputs } = receipt as {
      readonly inputs?: { readonly recall?: { readonly found?: { readonly indexedThrough: number } } }
    }
    const found = inputs?.recall?.found
    if (found === undefined || found.indexedThrough >= head) return
    await setTimeout(20)
  }
  throw new Error('the index was not filled in time')
}

/** No system text, no tools; the questions are asked the day after the last message. */
function engineWith({ messages }: RecallConversation, special: Special): Engine {
  const now = Date.parse(messages.at(-1)?.time ?? '2025-01-01') + DAY
  const clock = (): number => now
  return createEngine({
    ...special,
    ...{ log: memoryLog({ clock, weigh }), clock, policies: BUDGETS.map(policyOf), models: { demo: { window: WINDOW } } },
    ...{ house: { parts: async () => [] }, limits: { historyMs: 60_000 } },
  })
}

const policyName = (budget: number): string => `recall-${budget}`

function policyOf(budget: number): Policy {
  const { steady } = presets
  const bounded = { ...steady, name: policyName(budget), budget: { ...steady.budget, tokens: budget } }
  const recall = { recall: { tokens: budget, from: 'session' } } as const
  return { ...bounded, ...recall }
}

/** An archive of ours, which keeps the time of each message; a message's place in it gives its seq. */
async function* archiveOf({ id, messages }: RecallConversation): AsyncGenerator<Uint8Array> {
  const first = messages[0]?.time ?? '2025-01-01T00:00:00.000Z'
  const session = {
    ...{ id: SESSION, title: id, preview: null, agent: 'assistant', council: null, project: null, policy: 'steady', model: null },
    ...{
      archived: false,
      createdAt: first,
      updatedAt: messages.at(-1)?.time ?? first,
      messages: messages.length,
      family: SESSION,
    },
  }
  const lines = eventsOf(messages).map((event, index) => JSON.stringify({ seq: index + 1, ...event }))
  const pieces = [
    '{"turnwise":"archive","version":1,"sessions":[\n',
    `{"session":${JSON.stringify(session)},"events":[\n`,
    `${lines.join(',\n')}\n],"texts":[\n]}\n]}\n`,
  ]
  for (const piece of pieces) yield new TextEncoder().encode(piece)
}

type Line = { readonly at: string; readonly type: string; readonly [key: string]: unknown }

/** A person's message is one event, an answer three. */
function eventsOf(messages: readonly Message[]): readonly Line[] {
  const events: Line[] = []
  let cause = 0
  for (const [index, { role, text, time: at }] of messages.entries()) {
    if (role === 'user' || cause === 0) {
      cause = events.push({ at, type: 'message.received', text, from: 'person' })
      continue
    }
    const turn = `trn_recall${index}`
    events.push({ at, type: 'turn.started', turn, voice: 'assistant', cause })
    events.push({ at, type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text }] })
    events.push({ at, type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })
  }
  return events
}

type Said = { readonly content?: unknown; readonly blocks?: unknown }

/** Every text of a request's body, of the demo model and of real providers. */
function textsIn(body: unknown): readonly string[] {
  const { system, messages = [] } = body as { readonly system?: unknown; readonly messages?: readonly Said[] }
  const textOf = (content: unknown): string => {
    if (typeof content === 'string') return content
    if (!Array.isArray(content)) return ''
    return content.map((part: unknown) => (part as { readonly text?: string }).text ?? '').join('\n')
  }
  return [textOf(system), ...messages.map(({ content, blocks }) => textOf(content ?? blocks))].filter(text => text !== '')
}
