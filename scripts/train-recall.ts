// Fits the weights of recall to your own questions and evidence: `npx node scripts/train-recall.ts <files or folders> [--out file.json]`.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { quoteTokens } from '../src/context/recall/choose.ts'
import { FEATURES, type Features, scoreOf, WEIGHTS } from '../src/context/recall/score.ts'
import { readWordVectors } from '../src/context/recall/word-vectors.ts'
import { count } from '../src/context/text/tokens.ts'
import { memoryRecall } from '../src/log/memory/memory-recall.ts'
import type { Row } from '../src/log/memory/memory-rows.ts'
import type { RecallStore } from '../src/log/ports.ts'
import type { Recorded } from '../src/model/event.ts'
import type { Fault } from '../src/model/fault.ts'
import type { SessionId } from '../src/model/ids.ts'
import type { RecallFound } from '../src/model/recall.ts'
import { ok, type Result } from '../src/model/result.ts'
import { type EventSource, fillIndex, type LoadedVectors } from '../src/turn/recall/fill/fill-index.ts'
import { lookUp, type RecallQuery } from '../src/turn/recall/look-up/look-up.ts'
import { fitWeights, type Judged, type JudgedQuestion, recallWithin } from './recall-weights.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    seed: { type: 'string', default: '1' },
    vectors: { type: 'string', default: 'vectors/words-minilm-128.bin' },
    'words-alone': { type: 'boolean', default: false },
  },
})

const BUDGETS = [1000, 2000, 4000, 8000]
/** Conversations are held out one after the other, or in so many groups. */
const MOST_GROUPS = 5

type Conversation = {
  readonly id: string
  readonly messages: readonly { readonly id: string; readonly role: string; readonly text: string; readonly time: string }[]
  readonly questions: readonly { readonly id: string; readonly text: string; readonly evidence: readonly string[] }[]
}

const seed = Number(values.seed)
const vectors = values['words-alone'] ? undefined : loadVectors(values.vectors)
const conversations = positionals.flatMap(filesOf).flatMap(readConversations)
if (conversations.length === 0)
  stop(
    'Name files or folders with conversations: { id, messages: [{ id, role, text, time }], questions: [{ id, text, evidence }] }',
  )

const judged: (readonly JudgedQuestion[])[] = []
for (const conversation of conversations) {
  judged.push(await judge(conversation))
  process.stderr.write(
    `${conversation.id}: ${conversation.messages.length} messages, ${conversation.questions.length} questions\n`,
  )
}

const groups = Math.min(MOST_GROUPS, judged.length)
const heldOut = groups < 2 ? [] : Array.from({ length: groups }, (_, group) => measureHeldOut(group))
const all = judged.flat()
const fitted = fitWeights(all, seed)
const evidence = all.reduce((sum, question) => sum + question.evidence, 0)
const reachable = all.reduce((sum, { candidates }) => sum + candidates.filter(({ isEvidence }) => isEvidence).length, 0)

console.log(
  `${judged.length} conversations, ${all.length} questions, ${evidence} evidence messages, ${evidence - reachable} of them`,
)
console.log(
  `without any word, name or day of their question. Word vectors: ${vectors === undefined ? 'none' : 'used'}. Seed: ${seed}.\n`,
)
if (heldOut.length === 0) console.log('With one conversation nothing can be held out: the weights below are not tested.\n')
else {
  const row = (name: string, cells: readonly string[]): void =>
    console.log(name.padEnd(34) + cells.map(cell => cell.padStart(9)).join(''))
  row(
    'Evidence found within tokens',
    BUDGETS.map(tokens => tokens.toLocaleString('en-US')),
  )
  row('shipped weights', heldOutShares('shipped'))
  row('weights fitted to the other chats', heldOutShares('fitted'))
  console.log()
}
console.log('Feature     shipped   fitted to all')
for (const name of FEATURES) console.log(name.padEnd(12) + String(WEIGHTS[name]).padEnd(10) + fitted[name].toFixed(2).padStart(6))
if (values.out !== undefined) {
  const report = {
    weights: fitted,
    seed,
    vectors: vectors?.hash ?? null,
    conversations: judged.length,
    questions: all.length,
    heldOut,
  }
  writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`)
}

type HeldOut = { readonly questions: number; readonly shipped: readonly number[]; readonly fitted: readonly number[] }

/** Fits on the other conversations and measures on those of the group. */
function measureHeldOut(group: number): HeldOut {
  const own = judged.filter((_, index) => index % groups === group).flat()
  const weights = fitWeights(judged.filter((_, index) => index % groups !== group).flat(), seed)
  const measured = (by: Features): number[] => BUDGETS.map(tokens => recallWithin(own, by, tokens))
  return { questions: own.length, shipped: measured(WEIGHTS), fitted: measured(weights) }
}

/** The shares of all groups, each by its number of questions. */
function heldOutShares(which: 'shipped' | 'fitted'): readonly string[] {
  const questions = heldOut.reduce((sum, each) => sum + each.questions, 0)
  return BUDGETS.map((_, index) => {
    const share = heldOut.reduce((sum, each) => sum + (each[which][index] ?? 0) * each.questions, 0) / questions
    return `${(100 * share).toFixed(1)} %`
  })
}

/** Looks every question up in the conversation, by the same way as the product does, and keeps the features. */
async function judge(conversation: Conversation): Promise<readonly JudgedQuestion[]> {
  const id = conversation.id as SessionId
  const { events, messageOf } = eventsOf(conversation)
  const rows = memoryRecall(new Map([[id, {} as Row]]))
  const source: EventSource = {
    events: async (_, { after, through, limit }) => ok(events.filter(({ seq }) => seq > after && seq <= through).slice(0, limit)),
    eventsOfTurn: async (_, turn) => ok(events.filter(event => 'turn' in event && event.turn === turn)),
    head: async () => ok(events.length),
  }
  value(await fillIndex(rows, source, id, { vectors, limit: events.length + 1 }))
  const at = conversation.messages.at(-1)?.time ?? ''
  const questions: JudgedQuestion[] = []
  for (const question of conversation.questions) {
    const query: RecallQuery = {
      ...{ text: question.text, at, through: events.length, voice: 'assistant', view: 'all', excluded: [] },
      names: { assistant: 'Assistant' },
    }
    const features: Features[] = []
    const weigh = (own: Features): number => {
      features.push(own)
      return scoreOf(own)
    }
    const found = value(await lookUpWeighed(rows, id, query, vectors, weigh))
    if (features.length !== found.candidates.length) stop('The look-up does not show its features: it needs a way to weigh them.')
    const wanted = new Set(question.evidence)
    const candidates = found.candidates.flatMap((candidate, index): readonly Judged[] => {
      const isEvidence = wanted.has(messageOf.get(candidate.seqs[0] ?? 0) ?? '')
      return candidate.isRelated ? [{ features: features[index] as Features, cost: quoteTokens(candidate), isEvidence }] : []
    })
    questions.push({ candidates, evidence: wanted.size })
  }
  return questions
}

/** A look-up that weighs features as it is told to. */
type WeighedLookUp = (
  rows: RecallStore,
  id: SessionId,
  query: RecallQuery,
  loaded: LoadedVectors | undefined,
  weigh: (features: Features) => number,
) => Promise<Result<RecallFound, Fault>>

function lookUpWeighed(...given: Parameters<WeighedLookUp>): ReturnType<WeighedLookUp> {
  const weighed: WeighedLookUp = lookUp
  return weighed(...given)
}

/** The conversation as a log would have it, and which message each first event belongs to. */
function eventsOf({ messages }: Conversation): { events: readonly Recorded[]; messageOf: ReadonlyMap<number, string> } {
  const events: Recorded[] = []
  const messageOf = new Map<number, string>()
  const record = (at: string, fact: object): void => {
    events.push({ tokens: 0, ...fact, seq: events.length + 1, at } as unknown as Recorded)
  }
  for (const { id, role, text, time } of messages) {
    const tokens = count(text)
    if (role === 'user') {
      messageOf.set(events.length + 1, id)
      record(time, { type: 'message.received', from: 'user', text, tokens })
      continue
    }
    const turn = `turn-${events.length}`
    record(time, { type: 'turn.started', turn, voice: 'assistant', cause: events.length })
    messageOf.set(events.length + 1, id)
    record(time, { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text }], tokens })
    record(time, { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })
  }
  return { events, messageOf }
}

function filesOf(path: string): readonly string[] {
  return statSync(path).isDirectory() ? globSync(join(path, '*.{json,jsonl}')).sort() : [path]
}

/** One conversation, a list of them, or one in each line. */
function readConversations(file: string): readonly Conversation[] {
  const text = readFileSync(file, 'utf8')
  const found: unknown[] = file.endsWith('.jsonl')
    ? text
        .split('\n')
        .filter(line => line.trim() !== '')
        .map(line => JSON.parse(line))
    : [JSON.parse(text)].flat()
  return found.map(each => (isConversation(each) ? each : stop(`${file} has something that is no conversation with questions`)))
}

function isConversation(found: unknown): found is Conversation {
  const { id, messages, questions } = (found ?? {}) as Partial<Record<keyof Conversation, unknown>>
  const hasTexts = (list: unknown, names: readonly string[]): boolean =>
    Array.isArray(list) && list.every(each => names.every(name => typeof each?.[name] === 'string'))
  return (
    typeof id === 'string' &&
    hasTexts(messages, ['id', 'role', 'text', 'time']) &&
    hasTexts(questions, ['id', 'text']) &&
    (questions as readonly { evidence?: unknown }[]).every(({ evidence: named }) => Array.isArray(named))
  )
}

function loadVectors(file: string): LoadedVectors {
  const bytes = readFileSync(file)
  const read = readWordVectors(bytes)
  return read === undefined
    ? stop(`${file} is damaged`)
    : { hash: createHash('sha256').update(bytes).digest('hex'), vectors: read }
}

function value<Value>(result: Result<Value, Fault>): Value {
  return result.ok ? result.value : stop(result.fault.message)
}

function stop(why: string): never {
  console.error(why)
  process.exit(1)
}
