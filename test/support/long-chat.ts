import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../../src/model/event.ts'
import type { ReceiptId, SessionId, TurnId } from '../../src/model/ids.ts'
import type { Receipt } from '../../src/model/receipt.ts'

export const LONG_CHAT: SessionId = 'ses_0000000000000000000000long' as SessionId

const START = Date.parse('2026-01-02T08:00:00Z')
/** Facts of one append; a long chat is there in a second or two. */
const PER_APPEND = 2000

/**
 * A workspace whose database has one long conversation, as if people had talked in it: paragraphs, lists, code and tables. Give
 * it to a gateway that was not started yet. Every message says which one it is: `question 17`, `answer 17`.
 */
export async function writeLongChat(home: string, messages: number, session: SessionId = LONG_CHAT): Promise<void> {
  mkdirSync(home, { recursive: true })
  let minutes = 0
  const opened = await sqliteLog({
    file: join(home, 'turnwise.db'),
    clock: () => START + minutes * 60_000,
    // Counting tokens for real would take longer than everything else, and nobody looks at them here.
    weigh: fact => ({ tokens: 50, messages: fact.type === 'message.received' || fact.type === 'reply.finished' ? 1 : 0 }),
    synchronous: 'NORMAL',
  })
  if (!opened.ok) throw new Error(opened.fault.message)
  const log = opened.value
  const at = new Date(START).toISOString()
  const made = await log.open({
    id: session,
    title: `A long talk of ${messages} messages`,
    preview: null,
    agent: 'assistant',
    council: null,
    project: null,
    policy: 'steady',
    model: null,
    archived: false,
    createdAt: at,
    updatedAt: at,
    messages: 0,
    family: session,
  })
  if (!made.ok) throw new Error(made.fault.message)
  const facts = factsOf(messages)
  for (let from = 0; from < facts.length; from += PER_APPEND) {
    const written = await log.append(session, facts.slice(from, from + PER_APPEND))
    if (!written.ok) throw new Error(written.fault.message)
    minutes += 1
  }
  await log.close()
}

function factsOf(messages: number): readonly Fact[] {
  const facts: Fact[] = []
  for (let number = 1; number <= messages / 2; number += 1) {
    const turn = `trn_${String(number).padStart(26, '0')}` as TurnId
    facts.push({
      type: 'message.received',
      text: `This is question ${number}. ${ASIDES[number % ASIDES.length]}`,
      from: 'person',
    })
    const cause = facts.length
    facts.push({ type: 'turn.started', turn, voice: 'assistant', cause })
    facts.push({ type: 'context.planned', turn, step: 1, receipt: receiptOf(turn, number, cause) })
    const usage = { input: 900, output: 180, cacheRead: 600, cacheWrite: 0 }
    const text = `This is answer ${number}.\n\n${ANSWERS[number % ANSWERS.length]}`
    facts.push({ type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text }], usage })
    facts.push({ type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })
  }
  return facts
}

const ASIDES = [
  'What do you make of it?',
  'Please be brief.',
  'I have looked at the last one again, and wonder whether it holds.',
]

const ANSWERS = [
  'A short one, with **weight** on a word and `code` in the middle of it.',
  '## What follows\n\n1. First, look at what is there.\n2. Then leave out what nobody needs.\n3. Then look again.\n\n> Nothing is lost that is written down.\n\nThe rest is a matter of patience, and of not doing two things at once when one of them would do.',
  '```ts\nexport function sum(numbers: readonly number[]): number {\n  return numbers.reduce((total, each) => total + each, 0)\n}\n```\n\nIt goes through the list once and keeps nothing.',
  '| what | how many | why |\n|---|---:|---|\n| rows | 12 | few enough to read |\n| columns | 3 | few enough to compare |\n| empty | 0 | there is nothing to say |\n\nSee the last column first.',
  'One paragraph that is long enough to be broken into several lines on any screen, because most of what is said in a conversation is neither a list nor a table but plain sentences, one after the other, with a comma here and there.\n\n- a point\n- another one, with [a link](https://example.org/)\n- and the last',
]

function receiptOf(turn: TurnId, number: number, cause: number): Receipt {
  return {
    id: `rcp_${String(number).padStart(26, '0')}` as ReceiptId,
    digest: 'sha256:0',
    through: cause,
    window: { begins: 1 },
    policy: 'steady@1',
    model: 'demo',
    voice: 'assistant',
    tokens: { estimated: 1500, reported: null, cached: null, factor: 1, limit: 32_000, reserved: 4096 },
    timings: { readMs: 1, assembleMs: 1 },
    degraded: null,
    ladder: [],
    cache: null,
    in: [{ kind: 'current', from: cause, to: cause, count: 1, role: 'user', tokens: 12, reason: 'current.message', hash: 'h' }],
    out: [],
    inputs: {
      ...{ turn, cause, ordinal: number, wire: 'demo@1', window: 32_000, thinking: false, policy: 'p', system: [], tools: 't' },
      ...{ asides: [], voices: 'v', begins: null, marksThrough: 0, gaps: [] },
    },
  }
}
