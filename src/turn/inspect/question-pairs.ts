/** Makes questions whose evidence is known from a conversation itself: a message that names something said only once before. */
import { identifiersIn } from '../../context/receipt/identifiers.ts'
import type { Recorded } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { isHouseVoice } from '../../model/settings/council.ts'

/** A question, and the messages that a request has to have to answer it. */
export type QuestionPair = {
  readonly session: SessionId
  readonly question: string
  /** Seqs of messages. */
  readonly evidence: readonly number[]
  /** The seq of the question, where it is a message of the session; else it is asked at the end. */
  readonly at?: number
}

/** The clearest of a session; more would say the same. */
const MOST_PAIRS = 100
/** One identifier, number or name is enough; of other rare words two have to agree. */
const ENOUGH = 2
/** A number, or a short code like K42. */
const NUMBER = /(?<![\p{L}\p{N}])(?=\p{L}*\d)[\p{L}\p{N}]{2,}(?:[.,:]\d+)*/gu
/** A capital where no sentence begins. */
const NAME = /(?<=[\p{L}\p{N},;:] )\p{Lu}\p{Ll}{2,}/gu
const LONG_WORD = /\p{L}{8,}/gu

/** The questions in the events of a session: messages that a voice answered. */
export function pairsIn(session: SessionId, events: readonly Recorded[]): readonly QuestionPair[] {
  const turns = events.flatMap(event => (event.type === 'turn.started' ? [event] : []))
  const answered = new Set(turns.filter(({ voice }) => !isHouseVoice(voice)).map(({ cause }) => cause))
  const ofHouse = new Set(turns.filter(({ voice }) => isHouseVoice(voice)).map(({ turn }) => turn))
  /** By what is named: the only message that said so, or null once several did. */
  const saidBy = new Map<string, number | null>()
  const found: { readonly pair: QuestionPair; readonly worth: number }[] = []
  for (const event of events) {
    const text = textOf(event)
    if (text === '' || ('turn' in event && ofHouse.has(event.turn))) continue
    const named = namedIn(text)
    if (answered.has(event.seq)) {
      const best = bestOf(named, saidBy)
      if (best !== undefined && best.worth >= ENOUGH)
        found.push({ pair: { session, question: text, evidence: [best.seq], at: event.seq }, worth: best.worth })
    }
    for (const name of named.keys()) saidBy.set(name, saidBy.has(name) ? null : event.seq)
  }
  return found
    .sort((a, b) => b.worth - a.worth || (a.pair.at ?? 0) - (b.pair.at ?? 0))
    .slice(0, MOST_PAIRS)
    .map(({ pair }) => pair)
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
}

/** What was said, by a person or in an answer. */
function textOf(event: Recorded): string {
  if (event.type === 'message.received') return event.from === 'council' ? '' : event.text
  if (event.type !== 'reply.finished' || event.internal === true) return ''
  return event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** What a text names, each with its worth. */
function namedIn(text: string): ReadonlyMap<string, number> {
  return new Map([
    ...(text.match(LONG_WORD) ?? []).map((word): [string, number] => [word.toLowerCase(), 1]),
    ...(text.match(NAME) ?? []).map((name): [string, number] => [name, 2]),
    ...(text.match(NUMBER) ?? []).map((number): [string, number] => [number, 2]),
    ...identifiersIn(text).map((identifier): [string, number] => [identifier, 3]),
  ])
}

/** The earlier message that shares most with a text, of what only one message said; of equals the earliest. */
function bestOf(
  named: ReadonlyMap<string, number>,
  saidBy: ReadonlyMap<string, number | null>,
): { readonly seq: number; readonly worth: number } | undefined {
  const worths = new Map<number, number>()
  for (const [name, worth] of named) {
    const seq = saidBy.get(name) ?? null
    if (seq !== null) worths.set(seq, (worths.get(seq) ?? 0) + worth)
  }
  const [best] = [...worths].sort(([a, x], [b, y]) => y - x || a - b)
  return best && { seq: best[0], worth: best[1] }
}
