import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundsOf } from '../src/context/bounds.ts'
import { presets } from '../src/context/presets.ts'
import { type SettledPolicy, settlePolicy } from '../src/context/reply-limit.ts'
import { PER_MESSAGE } from '../src/context/stages/draft.ts'
import { count } from '../src/context/text/tokens.ts'
import type { AppendEntry } from '../src/log/append-rules.ts'
import { openWriter } from '../src/log/sqlite/database-file.ts'
import { tablesOf } from '../src/log/sqlite/store/rows.ts'
import { type SqliteStore, sqliteStore } from '../src/log/sqlite/store/store.ts'
import type { ReceiptId, SessionId, TurnId } from '../src/model/ids.ts'
import type { Receipt } from '../src/model/receipt.ts'
import type { Session } from '../src/model/session.ts'
import { type Policy, policyLabel } from '../src/model/settings/policy.ts'
import { sure } from './measure.ts'

/** A database with one short and one long session, as if people had talked in them; built once and kept. */
export type Fixture = { readonly file: string; readonly small: Sized; readonly large: Sized }

/** A session and how many messages it holds. */
export type Sized = { readonly session: SessionId; readonly messages: number }

/** The model that the last requests of each session were made for, and its window. */
export const MODEL = { name: 'openai/bench', window: 128_000 } as const

const SMALL: SessionId = 'ses_small00000000000000000000' as SessionId
const LARGE: SessionId = 'ses_large00000000000000000000' as SessionId

/** What decides the bytes of a fixture: when any of it changes, another one is built. */
const INGREDIENTS = [
  './fixture.ts',
  '../src/context/bounds.ts',
  '../src/context/presets.ts',
  '../src/log/sqlite/migrations.ts',
  '../src/log/standing.ts',
]

const TURNS_PER_APPEND = 1000
const APPENDS_PER_COMMIT = 20
const START = Date.parse('2026-01-01T00:00:00Z')

/** The fixture of these sizes, from the cache or new. Whoever writes to it takes a `copyOf` it. */
export function fixture(small: number, large: number): Fixture {
  const kind = `turnwise-bench-${small}-${large}-`
  const folder = join(tmpdir(), `${kind}${keyOf(small, large)}`)
  const file = join(folder, 'turnwise.db')
  if (!existsSync(file)) {
    // Of an older form, and two gigabytes each.
    for (const stale of globSync(`${kind}*`, { cwd: tmpdir() })) rmSync(join(tmpdir(), stale), { recursive: true, force: true })
    build(folder, [sized(SMALL, small), ...(large === 0 ? [] : [sized(LARGE, large)])])
  }
  return { file, small: sized(SMALL, small), large: sized(LARGE, large) }
}

/** A copy to write to, whole on the disk before anything is measured; it goes with `[Symbol.dispose]`. */
export function copyOf(given: Fixture): Fixture & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-run-'))
  const file = join(folder, 'turnwise.db')
  copyFileSync(given.file, file, constants.COPYFILE_FICLONE)
  // Else the first commits would wait for the copy and not for themselves.
  const written = openSync(file, 'r+')
  fsyncSync(written)
  closeSync(written)
  return { ...given, file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

const sized = (session: SessionId, messages: number): Sized => ({ session, messages })

function keyOf(...sizes: readonly number[]): string {
  const hash = createHash('sha256').update(sizes.join(' '))
  for (const file of INGREDIENTS) hash.update(readFileSync(new URL(file, import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}

/** Beside its place and moved there when it is whole: a build that was stopped leaves nothing that could be taken for one. */
function build(folder: string, sessions: readonly Sized[]): void {
  const draft = mkdtempSync(join(tmpdir(), 'turnwise-bench-draft-'))
  const { db, close } = openWriter(join(draft, 'turnwise.db'), 'NORMAL')
  const store = sqliteStore(tablesOf(db))
  const inTransaction = <Value>(work: () => Value): Value => {
    db.exec('begin immediate')
    const value = work()
    db.exec('commit')
    return value
  }
  for (const { session, messages } of sessions) {
    inTransaction(() => sure(store.open(newSession(session))))
    const turns = messages / 2
    for (let from = 1; from <= turns; ) {
      from = inTransaction(() => {
        let next = from
        for (let append = 0; append < APPENDS_PER_COMMIT && next <= turns; append += 1) {
          const to = Math.min(next + TURNS_PER_APPEND, turns + 1)
          appendTurns(store, session, { from: next, to, turns })
          next = to
        }
        return next
      })
    }
  }
  for (let looked = 1; looked > 0; ) looked = inTransaction(() => sure(store.indexWords(100_000)))
  db.exec('pragma wal_checkpoint(truncate)')
  close()
  renameSync(draft, folder)
}

/** An empty session that looks at its recent past. */
export function newSession(id: SessionId): Session {
  const at = new Date(START).toISOString()
  const named = { title: null, preview: null, model: null, agent: 'assistant', council: null, project: null, policy: 'recent' }
  return { id, ...named, archived: false, createdAt: at, updatedAt: at, messages: 0, family: id }
}

type Piece = { readonly from: number; readonly to: number; readonly turns: number }

function appendTurns(store: SqliteStore, session: SessionId, { from, to, turns }: Piece): void {
  const entries: AppendEntry[] = []
  for (let turn = from; turn < to; turn += 1) entries.push(...entriesOf(session, turn, turns))
  sure(store.append({ session, entries, at: new Date(START + to * 1000).toISOString(), texts: [] }))
}

/** Each turn is five events. */
function entriesOf(session: SessionId, ordinal: number, turns: number): AppendEntry[] {
  const { asked, answered } = saidIn(ordinal)
  const turn = `trn_${session.slice(4, 9)}${String(ordinal).padStart(21, '0')}` as TurnId
  const cause = causeOf(ordinal)
  const plain = { tokens: 0, messages: 0 }
  return [
    { fact: { type: 'message.received', text: asked.text, from: 'person' }, tokens: asked.tokens, messages: 1 },
    { fact: { type: 'turn.started', turn, voice: 'assistant', cause }, ...plain },
    { fact: { type: 'context.planned', turn, step: 1, receipt: receiptOf(turn, ordinal, lookOf(ordinal, turns)) }, ...plain },
    {
      fact: {
        type: 'reply.finished',
        turn,
        step: 1,
        parts: [{ type: 'text', text: answered.text }],
        usage: { input: 300, output: answered.tokens, cacheRead: 0, cacheWrite: 0 },
      },
      tokens: answered.tokens,
      messages: 1,
    },
    { fact: { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' }, ...plain },
  ]
}

const causeOf = (ordinal: number): number => (ordinal - 1) * 5 + 1

const saidIn = (ordinal: number): { readonly asked: Counted; readonly answered: Counted } => ({
  asked: QUESTIONS[(ordinal * 7) % QUESTIONS.length] ?? NOTHING,
  answered: ANSWERS[(ordinal * 5) % ANSWERS.length] ?? NOTHING,
})

/** How a turn's request looked at the past: the first turn it showed, and what all of them weigh. */
type Look = {
  readonly policy: Policy
  readonly first: number
  readonly tokens: number
  readonly model: { readonly name: string; readonly window: number }
}

/** Every request looked at what is recent, but for the last two: these had windows that grow, so that one knows where to go on. */
function lookOf(ordinal: number, turns: number): Look {
  if (ordinal === turns) return halfGrown(presets.steady, ordinal)
  if (ordinal === turns - 1) return halfGrown(presets.council, ordinal)
  return { policy: presets.recent, first: Math.max(1, ordinal - 2), tokens: 250, model: { name: 'demo', window: 32_000 } }
}

const settledFor = (policy: Policy, model: { readonly name: string; readonly window: number }): SettledPolicy =>
  settlePolicy(policy, { model: { ...model, factor: 1 }, thinking: false })

/** Half way from `low`, where a window is cut to, to `high`, where it is cut again. */
function halfGrown(policy: Policy, ordinal: number): Look {
  const { low, high } = boundsOf(settledFor(policy, MODEL), MODEL.window)
  let first = ordinal
  let tokens = 0
  for (; first > 1 && tokens < (low + high) / 2; first -= 1) {
    const { asked, answered } = saidIn(first - 1)
    tokens += asked.tokens + answered.tokens + 2 * PER_MESSAGE
  }
  return { policy, first, tokens, model: MODEL }
}

/** As long as a true one, in a form that reads; its hashes are of nothing, since nobody rebuilds these requests. */
function receiptOf(turn: TurnId, ordinal: number, { policy, first, tokens, model }: Look): Receipt {
  const cause = causeOf(ordinal)
  const begins = causeOf(first)
  const unread = first === 1 ? null : { to: begins - 1, messages: (first - 1) * 2 }
  const past = { kind: 'message', from: begins, to: cause - 1, count: (ordinal - first) * 2, tokens } as const
  return {
    id: turn.replace('trn', 'rcp') as ReceiptId,
    digest: NO_HASH,
    through: cause + 1,
    window: { begins },
    policy: policyLabel(policy),
    model: model.name,
    voice: 'assistant',
    tokens: {
      estimated: tokens + 50,
      reported: null,
      cached: null,
      factor: 1,
      limit: model.window - settledFor(policy, model).budget.reserve,
      reserved: settledFor(policy, model).budget.reserve,
    },
    degraded: null,
    ladder: [],
    cache: null,
    in: [
      ...(past.count === 0 ? [] : [{ ...past, reason: 'recent.window', hash: NO_HASH } as const]),
      { kind: 'current', from: cause, to: cause, count: 1, role: 'user', tokens: 50, reason: 'current.message', hash: NO_HASH },
    ],
    out: unread === null ? [] : [{ from: 1, to: unread.to, count: unread.messages, reason: 'out.window' }],
    timings: { readMs: 0.3, assembleMs: 0.2 },
    inputs: {
      turn,
      cause,
      ordinal,
      wire: 'demo@1',
      window: model.window,
      policy: NO_HASH,
      system: [],
      tools: NO_HASH,
      asides: [],
      thinking: false,
      voices: NO_HASH,
      begins: null,
      marksThrough: 0,
      gaps: unread === null ? [] : [{ from: 1, ...unread }],
    },
  }
}

const NO_HASH = `sha256:${'0'.repeat(64)}`
type Counted = { readonly text: string; readonly tokens: number }

const NOTHING: Counted = { text: 'nothing', tokens: 1 }
const WORDS =
  'the a of to and in is it you that was for on are with as they be at one have this from or had by but some what there we can out other were all your when up use word how said an each she which do their time if will way about many then them would write like so these her long make thing see him two has look more day could go come did my sound no most number who over know water than call first people may down side been now find'.split(
    ' ',
  )

/** A few texts, counted once, stand for all: counting a million would take longer than writing them. */
const QUESTIONS = texts(997, 6, 30)
const ANSWERS = texts(991, 20, 90)

function texts(many: number, shortest: number, longest: number): readonly Counted[] {
  let state = many
  const chance = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: many }, () => {
    const words = Array.from({ length: shortest + chance(longest - shortest) }, () => WORDS[chance(WORDS.length)])
    const text = `${words.join(' ')}.`
    return { text, tokens: count(text) }
  })
}
