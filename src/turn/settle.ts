import { UNKNOWN_EFFECTS } from '../context/sanitize.ts'
import type { Call, Event, Fact } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import { isReady, type Ready, type Settlement, type Tool } from '../tool/toolbox.ts'
import { type CallState, callState } from './call-state.ts'
import type { Halt } from './listen.ts'
import type { EnterProcess } from './process-limit.ts'
import type { Rooms } from './rooms.ts'
import type { Running } from './run.ts'

/** What became of the calls of a reply; while one waits for a person, the turn cannot go on. */
export type Settled = { readonly events: readonly Event[]; readonly waits: boolean }

/** A call that may run now. */
type Job = { readonly call: Call; readonly tool: Tool; readonly ready: Ready }

/**
 * Brings every call of a reply as far as it may come: refused, asked about, or run, each settled exactly once. `after` is
 * what the log has of them already, so that this can be done again after a person's answer or a crash.
 */
export async function settle(
  rooms: Rooms,
  running: Running,
  calls: readonly Call[],
  after: readonly Event[],
  signal: AbortSignal,
): Promise<Result<Settled, Fault>> {
  const events: Event[] = []
  const jobs: Job[] = []
  let waits = false
  for (const call of uniqueCalls(calls)) {
    const next = await decide(rooms, running, call, callState(call.call, after), signal)
    if (next === 'settled') continue
    if (next === 'waits') waits = true
    else if ('ready' in next) jobs.push(next)
    else {
      const isAsked = next.type === 'approval.asked'
      const written = await running.ledger.write([next], { isQuiet: isAsked })
      if (!written.ok) return written
      events.push(...written.value)
      for (const event of written.value) {
        if (event.type !== 'approval.asked') continue
        // It may be answered from now on, also while other calls still run; whoever hears of it must be able to.
        rooms.approvals.wait(event)
        rooms.feed.head(running.session.id, running.ledger.standing().head)
        waits = true
      }
    }
  }
  const enter = rooms.processes.ofTurn(running.turn)
  for (const group of sideBySide(jobs)) {
    const results = await Promise.all(group.map(job => perform(running, job, enter, signal)))
    for (const result of results) {
      if (!result.ok) return result
      events.push(...result.value)
    }
  }
  // In the order of the log: calls that run side by side settle in any.
  return ok({ events: events.toSorted((a, b) => a.seq - b.seq), waits })
}

/** What happens to one call now: nothing more, a fact to write, or a run. */
async function decide(
  rooms: Rooms,
  running: Running,
  call: Call,
  state: CallState,
  signal: AbortSignal,
): Promise<Fact | Job | 'settled' | 'waits'> {
  const refuse = (outcome: string): Fact => settled(running, call, { ok: false, outcome }, 0)
  if (state.is === 'settled') return 'settled'
  if (signal.aborted) return isInterrupted(rooms, signal) ? 'settled' : refuse('cancelled before it began')
  if (state.is === 'waiting') return 'waits'
  if (state.is === 'answered' && state.answer === 'deny')
    return refuse(`denied${state.reason === '' ? ' by a person' : `: ${state.reason}`}; nothing was run`)
  const tool = running.kit.toolbox.get(call.tool)
  if (state.is === 'started' && tool?.idempotent !== true) return refuse(UNKNOWN_EFFECTS)
  if (tool === undefined) return refuse(`there is no tool named ${call.tool}; nothing was run`)
  if (tool.approval === 'never') return refuse(`denied: ${call.tool} is never run here`)
  if (call.args === null && call.raw !== undefined) return refuse('the arguments are not JSON; nothing was run')
  const ready = await prepared(tool, call)
  if (!isReady(ready)) return settled(running, call, ready, 0)
  if (state.is === 'answered' && !isSame(state.argv, argvOf(call, ready)))
    return refuse('what would be run has changed since it was approved; nothing was run')
  if (state.is !== 'new' || tool.approval === 'auto' || (await rooms.approvals.isGranted(running.session.id, call.tool)))
    return { call, tool, ready }
  const { turn } = running
  const argv = argvOf(call, ready)
  return { type: 'approval.asked', approval: rooms.mint('apr'), turn, call: call.call, tool: call.tool, argv }
}

/** When the gateway stops, what was not begun is left for its next start. */
const isInterrupted = ({ resume }: Rooms, signal: AbortSignal): boolean =>
  resume.mode === 'auto' && (signal.reason as Halt).reason === 'interrupted'

/** A tool that starts no process is shown by its name and what it is given. */
const argvOf = ({ tool, args, raw }: Call, { argv }: Ready): readonly string[] => argv ?? [tool, raw ?? JSON.stringify(args)]

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index])

const prepared = (tool: Tool, call: Call): Promise<Ready | Settlement> =>
  tool.prepare(call.args).catch((cause: unknown) => ({ ok: false, outcome: `the tool failed: ${wordsOf(cause)}` }))

/** Neighbours whose tools allow it run together; any other has the moment to itself. */
function sideBySide(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const groups: Job[][] = []
  for (const job of jobs) {
    const last = groups.at(-1)
    if (last !== undefined && job.tool.parallel && last.every(({ tool }) => tool.parallel)) last.push(job)
    else groups.push([job])
  }
  return groups
}

/** `tool.started` is durable before anything runs, and is not written for a call that was stopped while it waited for its place. */
async function perform(
  running: Running,
  { call, tool, ready }: Job,
  enter: EnterProcess,
  signal: AbortSignal,
): Promise<Result<readonly Event[], Fault>> {
  const leave = tool.startsProcess === true ? await enter(signal) : () => {}
  if (leave === undefined) return ok([])
  const begun = await running.ledger.write([
    { type: 'tool.started', turn: running.turn, call: call.call, tool: call.tool, args: call.args },
  ])
  const started = performance.now()
  const isToRun = begun.ok && (await isSafe(running))
  if (!isToRun) leave()
  if (!begun.ok) return begun
  const settlement = isToRun ? await run(ready, signal, leave) : NOT_WRITTEN_DOWN
  const written = await running.ledger.write([settled(running, call, settlement, performance.now() - started)])
  return written.ok ? ok([...begun.value, ...written.value]) : written
}

const NOT_WRITTEN_DOWN: Settlement = { ok: false, outcome: 'not run: it could not be written down first' }
const SAVE_PATIENCE_MS = 5000

/** Nothing runs before it is durable that it started; else a crash could make it run twice. */
async function isSafe({ ledger }: Running): Promise<boolean> {
  if (ledger.unsaved().length > 0) await ledger.saved(AbortSignal.timeout(SAVE_PATIENCE_MS))
  return ledger.isSaved()
}

/** `onOver` is called when nothing of the run is left, which for one that was stopped is later than its settlement. */
async function run({ run: work }: Ready, signal: AbortSignal, onOver: () => void): Promise<Settlement> {
  if (signal.aborted) {
    onOver()
    return { ok: false, outcome: 'cancelled before it began' }
  }
  return new Promise(resolve => {
    const halted = (): void => resolve({ ok: false, outcome: UNKNOWN_EFFECTS })
    signal.addEventListener('abort', halted, { once: true })
    work(signal)
      .catch((cause: unknown) => ({ ok: false, outcome: `the tool failed: ${wordsOf(cause)}` }))
      .then(settlement => {
        onOver()
        signal.removeEventListener('abort', halted)
        resolve(settlement)
      })
  })
}

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Settles calls that will not be run, saying why. */
export const refuseAll = (running: Running, calls: readonly Call[], outcome: string): readonly Fact[] =>
  uniqueCalls(calls).map(call => settled(running, call, { ok: false, outcome }, 0))

/** Two calls of one id cannot both be answered, so only the first is. */
function uniqueCalls(calls: readonly Call[]): readonly Call[] {
  return [...new Map(calls.toReversed().map(call => [call.call, call])).values()].toReversed()
}

const settled = (
  { turn }: Pick<Running, 'turn'>,
  { call, tool }: Pick<Call, 'call' | 'tool'>,
  { ok, outcome, content }: Settlement,
  ms: number,
): Fact => ({
  type: 'tool.settled',
  turn,
  call,
  tool,
  ok,
  outcome,
  ...(content === undefined ? {} : { content }),
  ms: Math.round(ms),
})
