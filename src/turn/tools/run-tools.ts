/** Settles the tool calls of a reply: refuses them, asks a person about them, or runs them. */
import { UNKNOWN_EFFECTS } from '../../context/stages/sanitize.ts'
import type { RunFacts } from '../../model/approval.ts'
import type { Call, Event, Fact, ResultImage } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { DEEPEST, isDeeperThan } from '../../model/message/call-arguments.ts'
import { ok, type Result } from '../../model/result.ts'
import { sharedThrough } from '../../model/session.ts'
import { describedHash } from '../../tool/described-hash.ts'
import { isReady, type Ready, type Settlement, type Tool } from '../../tool/toolbox.ts'
import type { Services } from '../services.ts'
import type { Running } from '../step/run.ts'
import type { Halt } from '../step/stream-reply.ts'
import { isAsShown } from './approval-binding.ts'
import { type CallState, callState } from './call-state.ts'
import type { EnterProcess } from './process-limit.ts'
import { keepImages } from './result-images.ts'

/** What became of the calls of a reply; while one waits for a person, the turn cannot go on. */
export type Settled = { readonly events: readonly Event[]; readonly waits: boolean }

/** A call that may run now. */
type Job = {
  readonly call: Call
  readonly tool: Tool
  readonly ready: Ready
  /** Whether it still may, when its place has come. */
  readonly mayStill: () => Promise<boolean>
}

/**
 * Brings every call of a reply as far as it may come: refused, asked about, or run, each settled exactly once. `after` is
 * what the log has of them already, so that this can be done again after a person's answer or a crash.
 */
export async function settle(
  services: Services,
  running: Running,
  calls: readonly Call[],
  after: readonly Event[],
  signal: AbortSignal,
): Promise<Result<Settled, Fault>> {
  const events: Event[] = []
  const jobs: Job[] = []
  let waits = false
  /** Writes down what is not run now; a question may be answered from then on, also while other calls still run. */
  const write = async (fact: Fact): Promise<Result<null, Fault>> => {
    const written = await running.ledger.write([fact], { isQuiet: fact.type === 'approval.asked' })
    if (!written.ok) return written
    events.push(...written.value)
    for (const event of written.value) {
      if (event.type !== 'approval.asked') continue
      // A follower that hears of the question must be able to answer it at once.
      services.approvals.wait(event)
      services.feed.head(running.session.id, running.ledger.standing().head)
      waits = true
    }
    return ok(null)
  }
  const enter = services.processes.ofTurn(running.turn)
  /** Decides about a call; what may run comes back. */
  const decided = async (call: Call): Promise<Result<Job | undefined, Fault>> => {
    const next = await decide(services, running, call, callState(call.call, after), signal)
    if (next === 'settled') return ok(undefined)
    if (next === 'waits') waits = true
    if (next === 'waits' || 'ready' in next) return ok(next === 'waits' ? undefined : next)
    const written = await write(next)
    return written.ok ? ok(undefined) : written
  }
  for (const call of uniqueCalls(calls)) {
    const job = await decided(call)
    if (!job.ok) return job
    if (job.value !== undefined) jobs.push(job.value)
  }
  for (const [index, group] of sideBySide(jobs).entries()) {
    const ready: Job[] = []
    for (const job of group) {
      // A call that ran meanwhile may have changed what this one would run.
      const again = index === 0 ? ok(job) : await decided(job.call)
      if (!again.ok) return again
      if (again.value !== undefined) ready.push(again.value)
    }
    const results = await Promise.all(ready.map(job => perform(services, running, job, enter, signal)))
    for (const result of results) {
      if (!result.ok) return result
      events.push(...result.value)
    }
  }
  // In the order of the log: calls that run side by side settle in any.
  return ok({ events: events.toSorted((a, b) => a.seq - b.seq), waits })
}

/** Only what this very turn asked here was answered by a person of this house: a log may come from a file or a fork. */
const isAskedHere = (asked: { readonly turn: TurnId; readonly seq: number }, { turn, session }: Running): boolean =>
  asked.turn === turn && asked.seq > sharedThrough(session)

/** What happens to one call now: nothing more, a fact to write, or a run. */
async function decide(
  services: Services,
  running: Running,
  call: Call,
  state: CallState,
  signal: AbortSignal,
): Promise<Fact | Job | 'settled' | 'waits'> {
  const refuse = (outcome: string): Fact => settled(running, call, { ok: false, outcome }, 0)
  if (state.is === 'settled') return 'settled'
  if (signal.aborted) return isInterrupted(services, signal) ? 'settled' : refuse('cancelled before it began')
  if (state.is === 'waiting') return 'waits'
  if (state.is === 'answered' && state.answer === 'deny')
    return refuse(`denied${state.reason === '' ? ' by a person' : `: ${state.reason}`}; nothing was run`)
  const tool = running.equipment.toolbox.get(call.tool)
  if (state.is === 'started' && tool?.idempotent !== true) return refuse(UNKNOWN_EFFECTS)
  if (tool === undefined) return refuse(`there is no tool named ${call.tool}; nothing was run`)
  if (tool.approval === 'never') return refuse(`denied: ${call.tool} is never run here`)
  if (call.args === null && call.raw !== undefined)
    return refuse(
      `the arguments ${isDeeperThan(call.raw, DEEPEST) ? `nest deeper than ${DEEPEST}` : 'are not JSON'}; nothing was run`,
    )
  const ready = await prepared(tool, call)
  if (!isReady(ready)) return settled(running, call, ready, 0)
  const shown = { tool: call.tool, argv: argvOf(call, ready), ...factsOf(tool, ready) }
  // An answer is for what was shown. What has changed since is shown, and asked about, anew.
  const isAllowed =
    (state.is === 'answered' || state.is === 'started') &&
    state.asked !== undefined &&
    isAskedHere(state.asked, running) &&
    isAsShown(state.asked, shown)
  if (isAllowed || tool.approval === 'auto') return { call, tool, ready, mayStill: async () => true }
  const mayStill = (): Promise<boolean> => services.approvals.isGranted(running.session.id, shown)
  if (await mayStill()) return { call, tool, ready, mayStill }
  // It began before a crash, as something else than it is now: what it did then is unknown, and nothing is run on top of that.
  if (state.is === 'started') return refuse(UNKNOWN_EFFECTS)
  return { type: 'approval.asked', approval: services.mint('apr'), turn: running.turn, call: call.call, ...shown }
}

/** What a person is shown of a call, as it would run now; every tool is known at least by how it is described. */
export const factsOf = ({ spec }: Tool, { facts }: Ready): RunFacts =>
  facts?.descriptor !== undefined || facts?.server !== undefined ? facts : { ...facts, descriptor: describedHash(spec) }

/** When the gateway stops, calls that have not begun wait for the next start. */
const isInterrupted = ({ resume }: Services, signal: AbortSignal): boolean =>
  resume.mode === 'auto' && (signal.reason as Halt).reason === 'interrupted'

/** A tool that starts no process is shown by its name and what it is given. */
const argvOf = ({ tool, args, raw }: Call, { argv }: Ready): readonly string[] => argv ?? [tool, raw ?? JSON.stringify(args)]

const prepared = (tool: Tool, call: Call): Promise<Ready | Settlement> =>
  tool.prepare(call.args).catch((cause: unknown) => ({ ok: false, outcome: `the tool failed: ${wordsOf(cause)}` }))

/** Neighboring calls run in parallel if their tools allow it. Every other call runs alone. */
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
  { files }: Pick<Services, 'files'>,
  running: Running,
  { call, tool, ready, mayStill }: Job,
  enter: EnterProcess,
  signal: AbortSignal,
): Promise<Result<readonly Event[], Fault>> {
  const leave = tool.startsProcess === true ? await enter(signal) : () => {}
  if (leave === undefined) return ok([])
  const started = performance.now()
  const begin = async (): Promise<{ readonly begun: Result<readonly Event[], Fault>; readonly refused?: Settlement }> => {
    if (tool.startsProcess === true && !(await mayStill())) return { begun: ok([]), refused: TAKEN_BACK }
    const begun = await running.ledger.write([
      { type: 'tool.started', turn: running.turn, call: call.call, tool: call.tool, args: call.args },
    ])
    return begun.ok && (await isSafe(running)) ? { begun } : { begun, refused: NOT_WRITTEN_DOWN }
  }
  const { begun, refused } = await begin().catch((cause: unknown) => {
    leave()
    throw cause
  })
  if (refused !== undefined) leave()
  if (!begun.ok) return begun
  const { texts, images, ...settlement } = keepImages(refused ?? (await run(ready, signal, leave)))
  // The next request has the images at hand, also while the store is away.
  files.keep(texts)
  // They are in the same write as the event that names them.
  const written = await running.ledger.write([settled(running, call, settlement, performance.now() - started, images)], { texts })
  return written.ok ? ok([...begun.value, ...written.value]) : written
}

const TAKEN_BACK: Settlement = { ok: false, outcome: 'not run: the permission for it was taken back while it waited' }
export const NOT_WRITTEN_DOWN: Settlement = { ok: false, outcome: 'not run: it could not be written down first' }
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
  { ok, outcome, content, argv }: Settlement,
  ms: number,
  images: readonly ResultImage[] = [],
): Fact => ({
  type: 'tool.settled',
  turn,
  call,
  tool,
  ok,
  outcome,
  ...(content === undefined ? {} : { content }),
  ms: Math.round(ms),
  ...(argv === undefined ? {} : { argv }),
  ...(images.length === 0 ? {} : { images }),
})
