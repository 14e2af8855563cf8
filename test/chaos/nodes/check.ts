/** Compares what the nodes left behind with what an undisturbed conversation leaves: lines, seqs, ends, tools and receipts. */
import { setTimeout as pause } from 'node:timers/promises'
import { UNKNOWN_EFFECTS } from '../../../src/context/stages/sanitize.ts'
import type { Engine } from '../../../src/engine.ts'
import { readingEngine } from '../../../src/gateway/cli/talk/own-engine.ts'
import { enterWorkspace } from '../../../src/gateway/workspace/enter-workspace.ts'
import type { Event } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { isReply } from '../../../src/model/message/spoken.ts'
import { spokenText } from '../../../src/model/turn-view/join-cuts.ts'
import { NOT_WRITTEN_DOWN } from '../../../src/turn/tools/run-tools.ts'
import { expectedLines, looseEnds, seqGaps } from '../check.ts'
import { CLERK } from '../conversation.ts'
import { foldFaults } from '../folds.ts'
import { answersIn, type Kept, linesOf } from '../kept.ts'
import type { Talked } from './client.ts'
import { NODES_SCRIPT, STOPPED, withoutTicket } from './script.ts'

export type Checked = {
  readonly faults: readonly string[]
  readonly messages: number
  readonly events: number
  /** Calls that had their effect, without those that only look. */
  readonly tools: number
  readonly receipts: number
  readonly resumed: number
}

export type CheckOptions = {
  /** One conversation each, in several sessions. */
  readonly talks: readonly (readonly Talked[])[]
  /** The lines that tools left, of all conversations. */
  readonly effects: readonly string[]
  /** Whether a node or the database was interfered with; else nothing is excused. */
  readonly isDisturbed: boolean
  /** Turns that make summaries may still run when the last answer was heard: how long all of them together may take. */
  readonly quietMs: number
  readonly home: string
  readonly store: string
}

export async function check({ talks, effects, home, store, isDisturbed, quietMs }: CheckOptions): Promise<Checked> {
  const environment = { PATH: process.env.PATH, HOME: home, TURNWISE_HOME: home, TURNWISE_STORE: store }
  const workspace = await enterWorkspace(environment, { create: false })
  if (!workspace.ok) throw new Error(workspace.fault.message)
  const opened = await readingEngine(workspace.value, environment)
  if (!opened.ok) throw new Error(opened.fault.message)
  const engine = opened.value
  const until = performance.now() + quietMs
  try {
    const faults: string[] = []
    let [messages, events, receipts, resumed] = [0, 0, 0, 0]
    for (const talked of talks) {
      const kept: Event[][] = []
      for (const each of talked) {
        faults.push(...each.faults)
        if (each.session === '') continue
        const own = await whenQuiet(engine, each.session as SessionId, until)
        kept.push(own)
        faults.push(...sessionFaults(each, own, isDisturbed), ...(await unverified(engine, each.session as SessionId, own)))
        messages += each.acknowledged.length
        events += own.length
        receipts += own.filter(({ type }) => type === 'context.planned').length
        resumed += own.filter(({ type }) => type === 'reply.broken').length
      }
      faults.push(...otherLines(kept, isDisturbed), ...effectFaults(kept, effects))
    }
    const tools = effects.filter(line => !line.startsWith('look ')).length
    return { faults, messages, events, tools, receipts, resumed }
  } finally {
    await engine.close(0)
    await workspace.value.shared?.close()
  }
}

async function whenQuiet(engine: Engine, id: SessionId, until: number): Promise<Event[]> {
  for (; ; await pause(100)) {
    const events = await allEvents(engine, id)
    const ended = new Set(events.flatMap(event => (event.type === 'turn.ended' ? [event.turn] : [])))
    const isQuiet = events.every(event => event.type !== 'turn.started' || ended.has(event.turn))
    if (isQuiet || performance.now() > until) return events
  }
}

async function allEvents(engine: Engine, id: SessionId): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const page = await engine.read(id, { after: events.at(-1)?.seq ?? 0, limit: 500 })
    if (!page.ok) throw new Error(page.fault.message)
    for (const event of page.value) {
      if (event.type === 'damaged') throw new Error(`event ${event.seq} of ${id} cannot be read`)
      events.push(event)
    }
    if (page.value.length === 0) return events
  }
}

function sessionFaults(
  { ticket, session, acknowledged, heard }: Talked,
  kept: readonly Event[],
  isDisturbed: boolean,
): readonly string[] {
  const lost = acknowledged.filter(({ key, seq }) => {
    const event = kept[seq - 1]
    return event?.type !== 'message.received' || event.key !== key
  })
  const other = heard.find(({ type, seq }) => kept[seq - 1]?.type !== type)
  const open = kept.filter(
    event => event.type === 'turn.started' && !kept.some(end => end.type === 'turn.ended' && end.turn === event.turn),
  )
  return [
    ...lost.map(({ key, seq }) => `acknowledged and lost: ${key} at ${seq}`),
    ...(other === undefined ? [] : [`heard ${other.seq} ${other.type}, kept as ${kept[other.seq - 1]?.type ?? 'nothing'}`]),
    ...open.map(({ seq }) => `the turn that began at ${seq} has no end`),
    ...seqGaps(kept),
    ...answersIn(kept).flatMap(looseEnds),
    ...unknownWithoutBeginning(kept),
    // After two kills or more, nobody can know how many summaries there are, only that each is whole.
    ...foldFaults({ kept: [kept], found: [], appends: [], killed: isDisturbed ? 2 : 0 }),
    ...(isDisturbed ? [] : interruptions(kept)),
  ].map(words => `${ticket} ${session}: ${words}`)
}

/** What became of a call can only be unknown if it acts and had begun. */
function unknownWithoutBeginning(kept: readonly Event[]): readonly string[] {
  const begun = new Set<string>()
  return kept.flatMap(event => {
    if (event.type === 'tool.started' && event.tool !== 'look') begun.add(event.call)
    const isUnknown = event.type === 'tool.settled' && event.outcome === UNKNOWN_EFFECTS
    return isUnknown && !begun.has(event.call) ? [`${event.tool} ${event.call} has unknown effects, and had not begun`] : []
  })
}

/** Where nobody interferes, only what the client stops is broken off, and nothing is gone on with. */
function interruptions(kept: readonly Event[]): readonly string[] {
  const stopped = new Set(answersIn(kept).flatMap(({ key, turns }) => (key === STOPPED ? turns.map(({ turn }) => turn) : [])))
  return kept.flatMap(event => {
    const isBrokenOff = event.type === 'reply.broken' || (event.type === 'turn.ended' && event.reason !== 'done')
    if (event.type === 'turn.started' && event.resumes !== undefined) return [`a turn is gone on with at ${event.seq}`]
    return isBrokenOff && !stopped.has(event.turn) ? [`nobody interfered, and there is ${event.type} at ${event.seq}`] : []
  })
}

/** What may become of a call that acts, if somebody interferes: it died with its node, or the database was away before it began. */
const EXCUSED = [UNKNOWN_EFFECTS, NOT_WRITTEN_DOWN.outcome]

/**
 * The conversation must be the same, but for how far a stopped reply had come and, if somebody interfered, for what became of a
 * call that acts.
 */
function otherLines(kept: Kept, isDisturbed: boolean): readonly string[] {
  const isAlike = (line: string): boolean => !line.startsWith(`${CLERK} answered ${STOPPED} `)
  const lines = linesOf(kept).map(withoutTicket).filter(isAlike)
  const expected = expectedLines(NODES_SCRIPT)
    .filter(isAlike)
    .map(line => {
      const done = /: \["done","(act|sign) is done\\n"\]$/
      const others = EXCUSED.map(outcome => line.replace(done, `: ${JSON.stringify([outcome, ''])}`))
      return (isDisturbed ? [line, ...others] : [line]).find(each => lines.includes(each)) ?? line
    })
  const ids = kept.map(events => events[0]?.session).join(' ')
  return [
    ...expected.filter(line => !lines.includes(line)).map(line => `${ids}: missing: ${line}`),
    ...lines
      .filter((line, index) => !expected.includes(line) || lines.indexOf(line) !== index)
      .map(line => `${ids}: strange: ${line}`),
    ...stoppedOtherwise(kept),
  ]
}

function stoppedOtherwise(kept: Kept): readonly string[] {
  const whole = NODES_SCRIPT.replies[CLERK]?.[STOPPED]?.[0]?.text ?? ''
  return kept
    .flatMap(answersIn)
    .filter(({ key }) => key === STOPPED)
    .map(({ events }) => spokenText(events.filter(isReply)))
    .filter(text => !whole.startsWith(text))
    .map(text => `the stopped reply is not the beginning of what was said: ${JSON.stringify(text)}`)
}

/** Each call that acts has its effect at most once, and exactly once if the log says that it is done. */
function effectFaults(kept: Kept, effects: readonly string[]): readonly string[] {
  const calls = kept.flat().flatMap(event => (event.type === 'reply.finished' ? event.parts : []))
  const acting = calls.flatMap(part =>
    part.type === 'call' && part.tool !== 'look' ? [{ ...part, args: part.args as { readonly call: string } }] : [],
  )
  const times = (line: string): number => effects.filter(each => each === line).length
  const tickets = new Set(acting.map(({ args }) => args.call.split('-')[0]))
  return [
    ...acting.flatMap(({ call, tool, args }) => {
      const ran = times(`${tool} ${args.call}`)
      const settled = kept.flat().find(event => event.type === 'tool.settled' && event.call === call)
      const isDone = settled?.type === 'tool.settled' && settled.outcome === 'done'
      const isNotRun = settled?.type === 'tool.settled' && settled.outcome === NOT_WRITTEN_DOWN.outcome
      if (isNotRun && ran > 0) return [`${tool} ${args.call} is settled as not run and did run`]
      if (ran > 1) return [`${tool} ${args.call} ran ${ran} times`]
      return isDone && ran === 0 ? [`${tool} ${args.call} is settled as done and did not run`] : []
    }),
    ...[...tickets].flatMap(ticket =>
      ['act', 'sign'].flatMap(tool => {
        const ran = effects.filter(line => line.startsWith(`${tool} ${ticket}-`))
        return ran.length > 1 ? [`${tool} ran ${ran.length} times in one conversation: ${ran.join(', ')}`] : []
      }),
    ),
  ]
}

async function unverified(engine: Engine, id: SessionId, kept: readonly Event[]): Promise<readonly string[]> {
  const faults: string[] = []
  let identical = 0
  for await (const { turn, step, verdict, detail = '' } of engine.verify(id)) {
    if (verdict === 'identical') identical += 1
    else faults.push(`${id}: the request of ${turn}, step ${step}, is ${verdict}: ${detail}`)
  }
  const planned = kept.filter(({ type }) => type === 'context.planned').length
  return identical === planned ? faults : [...faults, `${id}: of ${planned} requests ${identical} verify`]
}
