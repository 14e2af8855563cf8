/** Logs made by chance: people, several voices at once, tools, turns that are cut, gone on with, retried or lost, and damaged rows. */
import { weigh } from '../../../../src/context/text/tokens.ts'
import type { EndReason, Event, Fact, Part, Recorded } from '../../../../src/model/event.ts'
import { fault } from '../../../../src/model/fault.ts'
import type { CallId, SessionId, TurnId } from '../../../../src/model/ids.ts'
import { EXCHANGE, SYNTHESIS } from '../../../../src/model/settings/council.ts'
import { randomFrom } from '../../../log/facts.ts'

export const SESSION: SessionId = 'ses_recall' as SessionId

export const VOICES: readonly string[] = ['assistant', 'ada', 'bo']

/** Few words, so that many messages have some of a question. */
const WORDS = [
  ...[
    'kettle',
    'harbour',
    'invoice',
    'violin',
    'glacier',
    'the',
    'of',
    'and',
    'walked',
    'painting',
    'Lisbon',
    'ferry',
    'Tuesday',
  ],
  ...['always', 'prefer', 'I', 'my', '4711', 'über', '渡口', 'naïve', 'from now on', 'Brücke', 'teh', '[note]', '\\[x', 'User:'],
]

export const QUESTIONS: readonly string[] = [
  'Where was the kettle?',
  'What did Ada say about the violin and the glacier in May?',
  'Remind me of invoice 4711.',
  'the ferry to Lisbon',
  'What happened on 3 May 2024?',
  '渡口',
]

export type Shape = {
  /** How many messages of people, about. */
  readonly messages: number
  /** The voices that answer. */
  readonly voices: readonly string[]
  /** Most messages begin with a name. */
  readonly isNamed?: boolean
}

/** The same numbers give the same log. */
export function randomLog(seed: number, { messages, voices, isNamed = false }: Shape): readonly Recorded[] {
  const next = randomFrom(seed)
  const below = (most: number): number => Math.floor(next() * most)
  const isOne = (of: number): boolean => below(of) === 0
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  const text = (): string => {
    const many = isOne(12) ? 150 + below(200) : 1 + below(14)
    const words = Array.from({ length: many }, () => pick(WORDS))
    const spoken = words.map((word, index) => (index % 11 === 10 ? `${word}.\n` : word)).join(' ')
    return isOne(25) ? '  ' : `${isNamed && !isOne(9) ? `${pick(['Ada', 'Bo', 'Cleo'])}: ` : ''}${spoken}${isOne(5) ? '?' : ''}`
  }
  const events: Recorded[] = []
  let minute = Date.parse('2024-05-01T08:00:00Z') / 60_000
  const add = (fact: Fact): number => {
    minute += isOne(15) ? 60 * (3 + below(80)) : below(9)
    const at = new Date(minute * 60_000).toISOString()
    events.push({ ...fact, session: SESSION, seq: events.length + 1, at, tokens: weigh(fact).tokens } as Event)
    return events.length
  }
  let turns = 0
  let calls = 0
  const says = (): Part => ({ type: 'text', text: text() })
  /** The events of one turn, to be mixed with those of others. */
  const turnOf = (
    voice: string,
    cause: number,
    before?: { readonly turn: TurnId; readonly isCut: boolean; readonly step: number },
  ) => {
    turns += 1
    const turn = `trn_${turns}` as TurnId
    const facts: Fact[] = []
    facts.push({
      ...{ type: 'turn.started', turn, voice, cause },
      ...(before === undefined ? {} : { resumes: before.turn, ...(before.isCut ? { continues: true as const } : {}) }),
    })
    let step = before?.isCut === true ? before.step : 0
    for (let left = isOne(3) ? 1 + below(2) : 0; left > 0; left -= 1) {
      step += 1
      calls += 1
      const call = `call_${calls}` as CallId
      facts.push({ type: 'reply.finished', turn, step, parts: [says(), { type: 'call', call, tool: 'look', args: {} }] })
      facts.push({ type: 'tool.settled', turn, call, tool: 'look', ok: true, outcome: 'found', content: text(), ms: 1 })
    }
    const reason: EndReason | 'open' = pick(
      before?.isCut === true
        ? ['done', 'cancelled', 'limit']
        : ['done', 'done', 'done', 'done', 'cancelled', 'failed', 'limit', 'interrupted', 'open'],
    )
    const isCut = reason === 'done' && isOne(6)
    if (reason === 'done' || reason === 'limit')
      facts.push({ type: 'reply.finished', turn, step: step + 1, parts: [says()], ...(isCut ? { stop: 'length' as const } : {}) })
    else if (!isOne(3))
      facts.push({ type: 'reply.broken', turn, step: step + 1, parts: [says()], fault: fault('unreachable', 'cut') })
    if (reason !== 'open') facts.push({ type: 'turn.ended', turn, voice, reason })
    return { turn, facts, reason, isCut, step: step + 1 }
  }
  const mixed = (lists: readonly (readonly Fact[])[]): void => {
    const left = lists.map(list => [...list])
    while (left.some(list => list.length > 0)) {
      const [fact] = pick(left.filter(list => list.length > 0)).splice(0, 1)
      if (fact !== undefined) add(fact)
      if (isOne(30)) add({ type: 'message.received', text: text(), from: 'person' })
    }
  }
  for (let many = 0; many < messages; many += 1) {
    if (isOne(20))
      events.push({
        ...{ type: 'damaged', why: 'not JSON', session: SESSION, seq: events.length + 1, at: '', tokens: 0, messages: 1 },
      } as Recorded)
    if (isOne(12) && events.length > 0)
      add({ type: 'message.marked', target: 1 + below(events.length), mark: pick(['pin', 'exclude', null]) })
    const to = voices.length > 1 && isOne(5) ? [pick(voices)] : undefined
    const from = isOne(15) ? 'council' : 'person'
    const parts = isOne(12) ? [{ type: 'text' as const, name: 'notes.md', mediaType: 'text/markdown', text: text() }] : undefined
    const heard: Fact = {
      ...{ type: 'message.received', text: text(), from },
      ...(to === undefined ? {} : { to }),
      ...(parts === undefined ? {} : { parts }),
    }
    const cause = add(heard)
    const asked = to ?? voices
    let running = asked.map(voice => ({ voice, ...turnOf(voice, cause) }))
    mixed(running.map(({ facts }) => facts))
    // Some are tried again or gone on with, once or twice.
    for (let tries = 0; tries < 2; tries += 1) {
      const again = running.filter(({ reason, isCut }) => reason !== 'open' && (isCut || reason !== 'done') && !isOne(3))
      running = again.map(({ voice, turn, isCut, step }) => ({ voice, ...turnOf(voice, cause, { turn, isCut, step }) }))
      mixed(running.map(({ facts }) => facts))
    }
    if (isOne(10)) mixed([turnOf(pick([SYNTHESIS, EXCHANGE]), cause).facts])
  }
  return events
}
