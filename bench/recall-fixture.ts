// Databases to look things up in: sessions of a thousand to a million messages in which words are as frequent as in a language.
import { createHash } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { WORD_VECTORS_HEADER } from '../src/context/recall/word-vectors.ts'
import { weigh } from '../src/context/text/tokens.ts'
import type { AppendEntry } from '../src/log/append-rules.ts'
import { openWriter } from '../src/log/sqlite/database-file.ts'
import { sqliteLog } from '../src/log/sqlite/sqlite-log.ts'
import { tablesOf } from '../src/log/sqlite/store/rows.ts'
import { type SqliteStore, sqliteStore } from '../src/log/sqlite/store/store.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import { createRecall } from '../src/turn/recall/recall.ts'
import { newSession, type Sized } from './fixture.ts'
import { sure } from './measure.ts'

/** One database with a session of each length, and a plain full-text index of the same texts beside it. */
export type RecallFixture = {
  /** As after an import: nothing is indexed yet. */
  readonly plain: string
  /** The same with the recall index of every session. */
  readonly indexed: string
  /** A table `texts` of SQLite's FTS5 for each session. */
  readonly fullText: string
  readonly sessions: readonly Sized[]
  /** What indexing took, session by session, when it was done; the index is made anew whenever its code changes. */
  readonly indexing: readonly Indexing[]
}

export type Indexing = {
  readonly messages: number
  readonly ms: number
  readonly cpuMs: number
  /** What the index takes by its own account, and what the file grew by. */
  readonly bytes: number
  readonly fileBytes: number
}

export const VECTORS_FILE: string = fileURLToPath(new URL('../vectors/words-minilm-128.bin', import.meta.url))

const EVENTS: readonly string[] = ['./recall-fixture.ts', './fixture.ts', '../src/log/sqlite/migrations.ts']
const INDEX: readonly string[] = [
  ...['blocks', 'build-blocks', 'bytes', 'fill-index', 'index-message', 'postings', 'read-messages'].map(
    each => `../src/turn/recall/fill/${each}.ts`,
  ),
  '../vectors/words-minilm-128.bin',
]

/** The fixture with sessions of these lengths, from the temporary folder or new. A million messages take some minutes the first time. */
export async function recallFixture(lengths: readonly number[]): Promise<RecallFixture> {
  const kind = `turnwise-bench-recall-${lengths.join('-')}-`
  const sessions = lengths.map((messages): Sized => ({ session: `ses_recall${messages}` as SessionId, messages }))
  const events = kept(kind, 'events', keyOf(EVENTS), folder => {
    buildEvents(join(folder, 'turnwise.db'), sessions)
    buildFullText(join(folder, 'full-text.db'), sessions)
  })
  const plain = join(await events, 'turnwise.db')
  const folder = await kept(kind, 'index', keyOf([...EVENTS, ...INDEX]), async draft => {
    const file = join(draft, 'turnwise.db')
    copyFileSync(plain, file, constants.COPYFILE_FICLONE)
    writeFileSync(join(draft, 'indexing.json'), JSON.stringify(await buildIndex(file, sessions)))
  })
  return {
    ...{ plain, indexed: join(folder, 'turnwise.db'), fullText: join(await events, 'full-text.db'), sessions },
    indexing: JSON.parse(readFileSync(join(folder, 'indexing.json'), 'utf8')) as readonly Indexing[],
  }
}

export const fullTextTable = (messages: number): string => `texts_${messages}`

/** A folder that was built before, or is built now: beside its place, and moved there when it is whole. */
async function kept(kind: string, part: string, key: string, build: (folder: string) => Promise<void> | void): Promise<string> {
  const folder = join(tmpdir(), `${kind}${part}-${key}`)
  if (existsSync(folder)) return folder
  for (const stale of globSync(`${kind}${part}-*`, { cwd: tmpdir() }))
    rmSync(join(tmpdir(), stale), { recursive: true, force: true })
  const draft = mkdtempSync(join(tmpdir(), 'turnwise-bench-draft-'))
  await build(draft)
  renameSync(draft, folder)
  return folder
}

function keyOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(new URL(file, import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}

/** So many turns come at one time, then hours pass. */
const TURNS_PER_SITTING = 8
const SITTINGS_PER_COMMIT = 2500
const START = Date.parse('2024-01-01T00:00:00Z')
const TEN_HOURS = 36_000_000

function buildEvents(file: string, sessions: readonly Sized[]): void {
  const { db, close } = openWriter(file, 'NORMAL')
  const store = sqliteStore(tablesOf(db))
  for (const { session, messages } of sessions) {
    const next = textsOf(messages)
    sure(store.open(newSession(session)))
    for (let turn = 1; turn <= messages / 2; ) {
      db.exec('begin immediate')
      for (let sitting = 0; sitting < SITTINGS_PER_COMMIT && turn <= messages / 2; sitting += 1) {
        const to = Math.min(turn + TURNS_PER_SITTING, messages / 2 + 1)
        appendTurns(store, session, turn, to, next)
        turn = to
      }
      db.exec('commit')
    }
  }
  db.exec('pragma wal_checkpoint(truncate)')
  close()
}

/** Each turn is four events: these sessions came from elsewhere, so there are no receipts. */
function appendTurns(store: SqliteStore, session: SessionId, from: number, to: number, next: () => string): void {
  const entries: AppendEntry[] = []
  const plain = { tokens: 0, messages: 0 }
  for (let ordinal = from; ordinal < to; ordinal += 1) {
    const turn = `trn_${session.slice(4)}x${String(ordinal).padStart(9, '0')}` as TurnId
    const [asked, answered] = [next(), next()]
    entries.push(
      { fact: { type: 'message.received', text: asked, from: 'person' }, tokens: roughly(asked), messages: 1 },
      { fact: { type: 'turn.started', turn, voice: 'assistant', cause: (ordinal - 1) * 4 + 1 }, ...plain },
      {
        fact: { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: answered }] },
        ...{ tokens: roughly(answered), messages: 1 },
      },
      { fact: { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' }, ...plain },
    )
  }
  sure(
    store.append({
      session,
      entries,
      at: new Date(START + Math.floor(from / TURNS_PER_SITTING) * TEN_HOURS).toISOString(),
      texts: [],
    }),
  )
}

/** Nothing here is cut by tokens, and counting a million texts would take longer than writing them. */
const roughly = (text: string): number => Math.ceil(text.length / 4)

function buildFullText(file: string, sessions: readonly Sized[]): void {
  using db = new DatabaseSync(file)
  for (const { messages } of sessions) {
    const table = fullTextTable(messages)
    db.exec(`create virtual table ${table} using fts5(text, content='', tokenize='porter unicode61')`)
    const insert = db.prepare(`insert into ${table}(rowid, text) values (?, ?)`)
    const next = textsOf(messages)
    db.exec('begin')
    for (let message = 1; message <= messages; message += 1) insert.run(message, next())
    db.exec('commit')
    db.exec(`insert into ${table}(${table}) values ('optimize')`)
  }
}

async function buildIndex(file: string, sessions: readonly Sized[]): Promise<readonly Indexing[]> {
  const log = sure(await sqliteLog({ file, clock: Date.now, weigh }))
  const recall = createRecall({
    ...{ log, vectorsFile: VECTORS_FILE },
    onTrouble: trouble => {
      throw new Error(trouble.message)
    },
  })
  const made: Indexing[] = []
  for (const { session, messages } of sessions) {
    const [bytes, fileBytes] = [sure(await log.recall.size()).bytes, sizeOf(file)]
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    sure(await recall.rebuild(session, () => undefined))
    const used = process.cpuUsage(cpu)
    made.push({
      ...{ messages, ms: performance.now() - began, cpuMs: (used.user + used.system) / 1000 },
      ...{ bytes: sure(await log.recall.size()).bytes - bytes, fileBytes: sizeOf(file) - fileBytes },
    })
  }
  await recall.close()
  await log.close()
  return made
}

const sizeOf = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0)

/** A word that is in the vocabulary of the word vectors, by its rank there: the frequent ones come first. */
export const vocabulary: readonly string[] = vocabularyIn(readFileSync(VECTORS_FILE))

function vocabularyIn(bytes: Buffer): readonly string[] {
  const [pieces = 0, pairs = 0, text = 0] = [16, 20, 24].map(offset => bytes.readUInt32LE(offset))
  const from = WORD_VECTORS_HEADER + pieces * 128 + pieces + 3 * pairs
  const words = bytes.toString('utf8', from, from + text).split('\n')
  return words.filter(word => /^[a-z]{2,}$/.test(word))
}

/** Numbers from 0 to 1, the same for the same seed. */
export function chances(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A person's text, then an answer, and so on: words by Zipf's law, some numbers and codes among them. */
function textsOf(seed: number): () => string {
  const chance = chances(seed)
  const sums = new Float64Array(vocabulary.length)
  let sum = 0
  for (let rank = 0; rank < sums.length; rank += 1) {
    sum += 1 / (rank + 2.7)
    sums[rank] = sum
  }
  const word = (): string => {
    const wanted = chance() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return vocabulary[low] ?? ''
  }
  let isAnswer = true
  return () => {
    isAnswer = !isAnswer
    const length = isAnswer ? 20 + Math.floor(chance() * 70) : 6 + Math.floor(chance() * 24)
    const words = Array.from({ length }, (_, index) => (chance() < 0.01 ? `k${Math.floor(chance() * 9e5) + index}` : word()))
    return `${words.join(' ')}${!isAnswer && chance() < 0.4 ? '?' : '.'}`
  }
}
