// One question to many sessions beside the same question to one session with as many messages: the ratio of the two, in one run.
import { existsSync, mkdtempSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { weigh } from '../src/context/text/tokens.ts'
import type { Log } from '../src/log/ports.ts'
import { sqliteLog } from '../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../src/model/event.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import { createRecall, type Recall } from '../src/turn/recall/recall.ts'
import { newSession } from './fixture.ts'
import { markdown, percentile, sure } from './measure.ts'
import { chances, VECTORS_FILE, vocabulary } from './recall-fixture.ts'

const numberOf = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const quick = process.argv.includes('--quick')
const SESSIONS = numberOf('sessions', quick ? 10 : 1000)
const MESSAGES = numberOf('messages', quick ? 200 : 1000)
const QUESTIONS = numberOf('questions', quick ? 10 : 60)
/** Words of a question by their rank in the vocabulary. */
const KINDS = { common: [150, 900], rare: [6000, 20_000] } as const
type Kind = keyof typeof KINDS
const ONE = 'ses_one' as SessionId
const ASKING = 'ses_asking' as SessionId
const idOf = (index: number): SessionId => `ses_many${index}` as SessionId

const open = async (file: string): Promise<Log> => sure(await sqliteLog({ file, clock: Date.now, weigh: roughWeigh }))
/** Nothing here is cut by tokens, and counting them would take longer than writing. */
const roughWeigh = (fact: Fact): ReturnType<typeof weigh> =>
  fact.type === 'message.received' || fact.type === 'reply.finished' ? { tokens: 60, messages: 1 } : { tokens: 0, messages: 0 }

const file = await fixture()
const log = await open(file)
const recall = recallOn(log)
const sources = Array.from({ length: SESSIONS }, (_, index) => ({ id: idOf(index), title: `Chat ${index}`, after: 0 }))
const through = sure(await log.recall.state(ONE))?.indexedThrough ?? 0

type Sample = { wall: number[]; cpu: number[] }
const samples = new Map<string, Sample>()
let found = 0
const cold = await once(() => look(ASKING, 0, wordsOf('common', 999), true))
for (let round = -3; round < QUESTIONS; round += 1)
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const words = wordsOf(kind, round + 7)
    for (const [what, work] of [
      ['one', () => look(ONE, through, words, false)],
      ['many', () => look(ASKING, 0, words, true)],
    ] as const) {
      const taken = await once(work)
      if (round < 0) continue
      const own = samples.get(`${what} ${kind}`) ?? { wall: [], cpu: [] }
      samples.set(`${what} ${kind}`, own)
      own.wall.push(taken.wall)
      own.cpu.push(taken.cpu)
    }
  }
print()
await recall.close()
await log.close()

async function look(id: SessionId, upTo: number, words: readonly string[], isMany: boolean): Promise<void> {
  const query = {
    ...{ text: `What did we say about ${words.join(' ')}?`, at: '2026-01-01T00:00:00.000Z', through: upTo, voice: 'assistant' },
    ...{ view: 'all' as const, excluded: [], names: {}, ...(isMany ? { sources } : {}) },
  }
  const { candidates, elsewhere } = sure(await recall.look(id, query, 600_000))
  if (isMany && elsewhere?.chats !== SESSIONS) throw new Error(`${elsewhere?.chats} of ${SESSIONS} sessions were asked`)
  found += candidates.length
}

function wordsOf(kind: Kind, seed: number): readonly string[] {
  const chance = chances(seed * 31 + kind.length)
  const [from, to] = KINDS[kind]
  return Array.from({ length: 5 }, () => vocabulary[from + Math.floor(chance() * (to - from))] ?? '')
}

async function once(work: () => Promise<void>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { wall: performance.now() - began, cpu: (user + system) / 1000 }
}

function recallOn(store: Log): Recall {
  return createRecall({
    ...{ log: store, vectorsFile: VECTORS_FILE },
    onTrouble: trouble => {
      throw new Error(trouble.message)
    },
  })
}

/** The same messages once as many sessions and once as one; kept in the temporary folder. */
async function fixture(): Promise<string> {
  const folder = join(tmpdir(), `turnwise-bench-recall-many-${SESSIONS}-${MESSAGES}`)
  if (existsSync(folder)) return join(folder, 'turnwise.db')
  const draft = mkdtempSync(join(tmpdir(), 'turnwise-bench-draft-'))
  const store = await open(join(draft, 'turnwise.db'))
  sure(await store.open(newSession(ASKING)))
  sure(await store.open(newSession(ONE)))
  let turns = 0
  for (let index = 0; index < SESSIONS; index += 1) {
    const id = idOf(index)
    sure(await store.open(newSession(id)))
    for (const [session, from] of [
      [id, 0],
      [ONE, index * MESSAGES * 2],
    ] as const) {
      const next = chances(index + 1)
      const facts: Fact[] = []
      for (let each = 0; each < MESSAGES / 2; each += 1) {
        turns += 1
        const turn = `trn_${String(turns).padStart(9, '0')}` as TurnId
        facts.push(
          { type: 'message.received', text: textBy(next), from: 'person' },
          { type: 'turn.started', turn, voice: 'assistant', cause: from + each * 4 + 1 },
          { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: textBy(next) }] },
          { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' },
        )
      }
      sure(await store.append(session, facts))
    }
  }
  const index = recallOn(store)
  for (const id of [ONE, ASKING, ...Array.from({ length: SESSIONS }, (_, each) => idOf(each))])
    sure(await index.rebuild(id, () => {}))
  await index.close()
  await store.close()
  renameSync(draft, folder)
  return join(folder, 'turnwise.db')
}

/** As often as in a language: the frequency of a word falls with its rank. 36 words on average. */
function textBy(chance: () => number): string {
  const many = 12 + Math.floor(chance() * 49)
  return Array.from(
    { length: many },
    () => vocabulary[Math.min(vocabulary.length - 1, Math.floor(Math.exp(chance() * Math.log(vocabulary.length))) - 1)] ?? '',
  ).join(' ')
}

function print(): void {
  const command = `node bench/recall-many.ts --sessions ${SESSIONS} --messages ${MESSAGES}`
  const rows = (Object.keys(KINDS) as Kind[]).flatMap(kind => {
    const [one, many] = ['one', 'many'].map(what => samples.get(`${what} ${kind}`) ?? { wall: [], cpu: [] }) as [Sample, Sample]
    const numbers = ({ wall, cpu }: Sample): readonly number[] => [
      ...[percentile(wall, 50), percentile(wall, 95), percentile(cpu, 50), percentile(cpu, 95)],
    ]
    const [a, b] = [numbers(one), numbers(many)]
    return [
      { what: `1 × ${(SESSIONS * MESSAGES).toLocaleString('en')}, ${kind} words`, numbers: a },
      { what: `${SESSIONS} × ${MESSAGES.toLocaleString('en')}, ${kind} words`, numbers: b },
      { what: `ratio, ${kind} words`, numbers: b.map((value, index) => value / (a[index] ?? 1)) },
    ]
  })
  const cells = rows.map(({ what, numbers }) => [what, ...numbers.map(value => value.toFixed(value < 10 ? 2 : 1))])
  console.log(`recall-many · ${command} · ${found} candidates\n`)
  console.log(`${markdown(['', 'p50 ms', 'p95 ms', 'CPU p50', 'CPU p95'], cells).join('\n')}\n`)
  console.log(`the first question, which reads all sessions: ${cold.wall.toFixed(0)} ms, CPU ${cold.cpu.toFixed(0)} ms\n`)
  console.log(JSON.stringify({ bench: 'recall-many', command, rows, cold }))
}
