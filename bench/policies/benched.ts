// Brings the chats of the recall benchmark, with their questions asked along the way, into an engine and compares policies over them.
import { type BenchReport, createEngine, memoryLog, weigh } from '../../src/index.ts'
import type { Event, Fact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { QuestionPair } from '../../src/turn/inspect/question-pairs.ts'
import { newSession } from '../fixture.ts'
import { sure } from '../measure.ts'
import { type LookingBack, lookingBack } from '../price/looking-back.ts'
import { madeConversations } from '../recall/conversations/made.ts'

/** The policies that one voice alone can have. */
export const POLICIES = ['steady', 'full', 'recent', 'head-tail', 'transcript'] as const

export type Benched = {
  readonly budgets: readonly number[]
  /** Only chats with these ids; all if there are none. */
  readonly only?: readonly string[]
  readonly policies?: readonly string[]
}

/** Compares policies, each with each budget, with its memory and without. */
export async function benchedPolicies({ budgets, only, policies = POLICIES }: Benched): Promise<BenchReport> {
  let now = 0
  const log = memoryLog({ clock: () => now, weigh })
  const engine = createEngine({ log, limits: { historyMs: 60_000 } })
  const chats = madeConversations().filter(({ id }) => only === undefined || only.includes(id))
  const sessions: SessionId[] = []
  const pairs: QuestionPair[] = []
  for (const [index, chat] of chats.entries()) {
    const id = `ses_bench${index}` as SessionId
    const made = lookingBack(chat)
    sure(await log.open(newSession(id)))
    for (const event of made.conversation.events) {
      now = Date.parse(event.at)
      sure(await log.append(id, [factOf(event)]))
    }
    sessions.push(id)
    pairs.push(...pairsOf(id, made))
  }
  const report = sure(await engine.bench({ sessions, policies, budgets, pairs, withoutMemory: true }))
  await engine.close(0)
  return report
}

function factOf({ session: _, seq: __, at: ___, tokens: ____, ...fact }: Event): Fact {
  return fact as Fact
}

/** Each question where it is asked, with the messages that answer it. */
function pairsOf(session: SessionId, { conversation: { events }, evidence }: LookingBack): readonly QuestionPair[] {
  return [...evidence].map(([seq, about]) => {
    const before = events.slice(0, seq - 1)
    const seqs = about.flatMap(({ whole }) => before.find(event => textIn(event).includes(whole))?.seq ?? [])
    const question = events[seq - 1]
    return {
      session,
      question: question?.type === 'message.received' ? question.text : '',
      evidence: [...new Set(seqs)],
      at: seq,
    }
  })
}

function textIn(event: Event): string {
  if (event.type === 'message.received') return event.text
  return event.type === 'reply.finished' ? event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('') : ''
}
