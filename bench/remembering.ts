// Gives requests of a benchmark the memory that the engine would have given them: what was looked up, what was folded, what replies needed.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { boundsOf } from '../src/context/bounds.ts'
import { withoutMemory } from '../src/context/presets.ts'
import { readWordVectors } from '../src/context/recall/word-vectors.ts'
import { settlePolicy } from '../src/context/reply-limit.ts'
import { type Measure, weigh } from '../src/context/text/tokens.ts'
import { memoryLog } from '../src/log/memory/memory-log.ts'
import { isReply } from '../src/model/message/spoken.ts'
import type { Material, Plan } from '../src/model/plan.ts'
import type { RecallFound, RecallMaterial } from '../src/model/recall.ts'
import { ok } from '../src/model/result.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import type { VoiceId } from '../src/model/voice.ts'
import { anthropicWire } from '../src/provider/anthropic/encode.ts'
import { type ImaginedFold, imagineFolds, type SentRequest } from '../src/turn/inspect/imagined-folds.ts'
import { type EventSource, fillIndex, type LoadedVectors } from '../src/turn/recall/fill/fill-index.ts'
import { lookUp, type RecallQuery } from '../src/turn/recall/look-up/look-up.ts'
import { queryFor, recallAfter } from '../src/turn/recall/recall-material.ts'
import { type Block, blocksOf } from './billing.ts'
import type { Conversation } from './conversations.ts'
import { newSession } from './fixture.ts'
import { sure } from './measure.ts'
import { VECTORS_FILE } from './recall-fixture.ts'

/** What one run of a conversation remembers from request to request. */
export type Remembering = {
  /** The material with what is remembered: looked up for the first step of a turn, and the same in later ones. */
  readonly withMemory: (material: Material) => Promise<Material>
  /** The request was sent. */
  readonly sent: (material: Material, plan: Plan) => void
  /** The requests for summaries that came before the last one, each once. */
  readonly folded: () => readonly FoldRequest[]
}

/** A request that asks a model for a summary, and the tokens of that summary. No blocks if no model is asked. */
export type FoldRequest = { readonly blocks: readonly Block[] | null; readonly written: number }

/** Which parts of memory a run has: none, recall alone, or everything. */
export type MemoryPart = 'none' | 'recall' | 'all'

/** A policy that recalls by what hiding the past has saved, and has no other memory. */
export const recalling = (policy: Policy): Policy => ({ ...withoutMemory(policy), recall: { tokens: 'auto', from: 'session' } })

/** A policy with only that part of its memory; what it does not have by itself is added. */
export function withPart(policy: Policy, part: MemoryPart): Policy {
  if (part === 'none') return withoutMemory(policy)
  return part === 'recall' ? recalling(policy) : { ...policy, recall: { tokens: 'auto', from: 'session' } }
}

/** How a run remembers; `leastMatch` stands for the engine's own bound on how well messages match that are quoted unasked. */
export type RememberingBy = { readonly measure: Measure; readonly leastMatch?: number }

/** Starts with nothing. What is remembered follows from the policy. */
export function remembering(conversation: Conversation, policy: Policy, { measure, leastMatch }: RememberingBy): Remembering {
  const recalls = (policy.recall ?? null) !== null
  const balances = new Map<VoiceId, number>()
  const firsts = new Map<VoiceId, Pick<Material, 'recall'>>()
  const folds = imagineFolds(policy, conversation.events, measure)
  const last = new Map<VoiceId, SentRequest>()
  let requests: FoldRequest[] = []

  /** What the turn before leaves behind, before the next one asks for it. */
  const endTurn = async ({ voice, turn }: Material): Promise<void> => {
    const sent = last.get(voice)
    last.delete(voice)
    if (sent === undefined) return
    for (const made of await folds.turnOver(sent, turn.cause - 1)) requests.push(foldRequest(made, measure))
  }

  return {
    withMemory: async given => {
      const { turn, voice } = given
      if (turn.step === 1) await endTurn(given)
      const material = folds.imagine(given)
      if (!recalls) return material
      return turn.step > 1
        ? { ...material, ...firsts.get(voice) }
        : { ...material, recall: gated(await found(conversation, material, policy, balances.get(voice)), leastMatch) }
    },
    sent: (material, plan) => {
      const { turn, voice, recall } = material
      const reply = conversation.events[material.through]
      if (reply !== undefined && isReply(reply)) folds.replied({ material, plan }, reply)
      last.set(voice, { material, plan })
      if (turn.step > 1) return
      if (plan.receipt.recall?.balance !== undefined) balances.set(voice, plan.receipt.recall.balance)
      firsts.set(voice, recallAfter(recall, plan.receipt))
    },
    folded: () => {
      const own = requests
      requests = []
      return own
    },
  }
}

/** What a model is asked with: the last request and more, or the stretch as one text that nothing caches. */
function foldRequest({ fold, after, alone }: ImaginedFold, { count }: Measure): FoldRequest {
  if (after !== null) return { blocks: blocksOf(anthropicWire.encode(after).body, count), written: fold.tokens }
  if (alone === null) return { blocks: null, written: 0 }
  return { blocks: [{ part: 'messages', bytes: alone, tokens: count(alone), marked: false }], written: fold.tokens }
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
