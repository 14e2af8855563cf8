// Gives requests of a benchmark what the engine would have looked up for them: an index in memory, and the balance of each voice.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { boundsOf } from '../src/context/bounds.ts'
import { readWordVectors } from '../src/context/recall/word-vectors.ts'
import { settlePolicy } from '../src/context/reply-limit.ts'
import { weigh } from '../src/context/text/tokens.ts'
import { memoryLog } from '../src/log/memory/memory-log.ts'
import type { Material, Plan } from '../src/model/plan.ts'
import type { RecallFound, RecallMaterial } from '../src/model/recall.ts'
import { ok } from '../src/model/result.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import type { VoiceId } from '../src/model/voice.ts'
import { type EventSource, fillIndex, type LoadedVectors } from '../src/turn/recall/fill/fill-index.ts'
import { lookUp, type RecallQuery } from '../src/turn/recall/look-up/look-up.ts'
import { queryFor, recallAfter } from '../src/turn/recall/recall-material.ts'
import type { Conversation } from './conversations.ts'
import { newSession } from './fixture.ts'
import { sure } from './measure.ts'
import { VECTORS_FILE } from './recall-fixture.ts'

/** What one run of a conversation remembers from request to request. */
export type Remembering = {
  /** The material with what was looked up, or with what the turn's first step quoted. */
  readonly withRecall: (material: Material) => Promise<Material>
  /** The request was sent. */
  readonly sent: (material: Material, plan: Plan) => void
}

/** A policy that recalls by what hiding the past has saved. */
export const recalling = (policy: Policy): Policy => ({ ...policy, recall: { tokens: 'auto', from: 'session' } })

/** Starts with nothing. `leastMatch` stands for the engine's own bound on how well messages match that are quoted unasked. */
export function remembering(conversation: Conversation, policy: Policy, leastMatch?: number): Remembering {
  const balances = new Map<VoiceId, number>()
  const firsts = new Map<VoiceId, Pick<Material, 'recall'>>()
  return {
    withRecall: async material => {
      const { turn, voice } = material
      return turn.step > 1
        ? { ...material, ...firsts.get(voice) }
        : { ...material, recall: gated(await found(conversation, material, policy, balances.get(voice)), leastMatch) }
    },
    sent: ({ turn, voice, recall }, { receipt }) => {
      if (turn.step > 1) return
      if (receipt.recall?.balance !== undefined) balances.set(voice, receipt.recall.balance)
      firsts.set(voice, recallAfter(recall, receipt))
    },
  }
}

/** Matches above the bound pass the engine's, all others do not. */
function gated(recall: RecallMaterial, least: number | undefined): RecallMaterial {
  if (recall.found === undefined || least === undefined) return recall
  const candidates = recall.found.candidates.map(each => ({ ...each, match: each.match >= least ? Number.POSITIVE_INFINITY : 0 }))
  return { ...recall, found: { ...recall.found, candidates } }
}

/** As the engine gathers it: nothing is looked up as long as nothing can be hidden. */
async function found(
  conversation: Conversation,
  material: Material,
  policy: Policy,
  balance: number | undefined,
): Promise<RecallMaterial> {
  const spent = { session: material.session, ...(balance === undefined ? {} : { balance }), events: [] }
  const settled = settlePolicy(policy, material)
  const low = settled.window.grows === null ? 0 : boundsOf(settled, material.model.window).low
  const past = material.events.reduce((sum, { seq, tokens }) => sum + (seq < material.turn.cause ? tokens : 0), 0)
  const query = queryFor(material, policy)
  if (query === undefined || past * material.model.factor <= low) return spent
  return { ...spent, found: await lookedUp(conversation, query) }
}

type LookUp = (query: RecallQuery) => Promise<RecallFound>

const indexes = new WeakMap<Conversation, Promise<LookUp>>()

/** A conversation is indexed once; each look-up sees only what was complete before its message. */
async function lookedUp(conversation: Conversation, query: RecallQuery): Promise<RecallFound> {
  const known = indexes.get(conversation) ?? indexOf(conversation)
  indexes.set(conversation, known)
  return (await known)(query)
}

async function indexOf({ events }: Conversation): Promise<LookUp> {
  const log = memoryLog({ clock: () => 0, weigh })
  const id = events[0]?.session
  if (id === undefined) throw new Error('a conversation without events')
  sure(await log.open(newSession(id)))
  const source: EventSource = {
    events: async (_, { after, through, limit }) => ok(events.filter(({ seq }) => seq > after && seq <= through).slice(0, limit)),
    eventsOfTurn: async (_, turn, through) =>
      ok(events.filter(event => 'turn' in event && event.turn === turn && event.seq <= through)),
    head: async () => ok(events.length),
  }
  sure(await fillIndex(log.recall, source, id, { vectors: vectors(), limit: events.length + 1 }))
  const answers = new Map<string, Promise<RecallFound>>()
  return query => {
    const key = JSON.stringify([query.text, query.through, query.voice, query.view])
    const answer = answers.get(key) ?? lookUp(log.recall, id, query, vectors()).then(sure)
    answers.set(key, answer)
    return answer
  }
}

let loaded: LoadedVectors | undefined

function vectors(): LoadedVectors {
  if (loaded !== undefined) return loaded
  const bytes = readFileSync(VECTORS_FILE)
  const read = readWordVectors(bytes)
  if (read === undefined) throw new Error(`${VECTORS_FILE} cannot be read`)
  loaded = { hash: createHash('sha256').update(bytes).digest('hex'), vectors: read }
  return loaded
}
