import { UNKNOWN_EFFECTS } from '../context/sanitize.ts'
import type { Call, Event, Fact } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import type { Settlement, Tool } from '../tool/toolbox.ts'
import type { Rooms } from './rooms.ts'
import type { Running } from './run.ts'

/** Runs the calls of a reply, one after the other, each settled exactly once. `tool.started` is durable before anything runs. */
export async function settle(
  { toolbox }: Rooms,
  running: Running,
  calls: readonly Call[],
  signal: AbortSignal,
): Promise<Result<readonly Event[], Fault>> {
  const events: Event[] = []
  for (const call of uniqueCalls(calls)) {
    const tool = toolbox.get(call.tool)
    const refusal = refusalOf(call, tool, signal)
    if (refusal !== undefined || tool === undefined) {
      const written = await running.ledger.write([settled(running, call, refusal ?? unknownTool(call), 0)])
      if (!written.ok) return written
      events.push(...written.value)
      continue
    }
    const begun = await running.ledger.write([
      { type: 'tool.started', turn: running.turn, call: call.call, tool: call.tool, args: call.args },
    ])
    if (!begun.ok) return begun
    const started = performance.now()
    const settlement = (await isSafe(running)) ? await runTool(tool, call, signal) : NOT_WRITTEN_DOWN
    const written = await running.ledger.write([settled(running, call, settlement, performance.now() - started)])
    if (!written.ok) return written
    events.push(...begun.value, ...written.value)
  }
  return ok(events)
}

const NOT_WRITTEN_DOWN: Settlement = { ok: false, outcome: 'not run: it could not be written down first' }
const SAVE_PATIENCE_MS = 5000

/** Nothing runs before it is durable that it started; else a crash could make it run twice. */
async function isSafe({ ledger }: Running): Promise<boolean> {
  if (ledger.unsaved().length > 0) await ledger.saved(AbortSignal.timeout(SAVE_PATIENCE_MS))
  return ledger.unsaved().length === 0
}

/** Settles calls that will not be run, saying why. */
export const refuseAll = (running: Running, calls: readonly Call[], outcome: string): readonly Fact[] =>
  uniqueCalls(calls).map(call => settled(running, call, { ok: false, outcome }, 0))

/** Two calls of one id cannot both be answered, so only the first is. */
function uniqueCalls(calls: readonly Call[]): readonly Call[] {
  return [...new Map(calls.toReversed().map(call => [call.call, call])).values()].toReversed()
}

function refusalOf(call: Call, tool: Tool | undefined, signal: AbortSignal): Settlement | undefined {
  if (signal.aborted) return { ok: false, outcome: 'cancelled before it began' }
  if (tool === undefined) return unknownTool(call)
  if (call.args === null && call.raw !== undefined) return { ok: false, outcome: 'the arguments are not JSON; nothing was run' }
  return undefined
}

const unknownTool = (call: Call): Settlement => ({ ok: false, outcome: `there is no tool named ${call.tool}; nothing was run` })

async function runTool(tool: Tool, call: Call, signal: AbortSignal): Promise<Settlement> {
  const halted = new Promise<Settlement>(resolve => {
    signal.addEventListener('abort', () => resolve({ ok: false, outcome: UNKNOWN_EFFECTS }), { once: true })
  })
  const work = tool.run(call.args, signal).catch((cause: unknown) => ({
    ok: false,
    outcome: `the tool failed: ${cause instanceof Error ? cause.message : String(cause)}`,
  }))
  return Promise.race([work, halted])
}

const settled = ({ turn }: Running, { call, tool }: Call, { ok, outcome, content }: Settlement, ms: number): Fact => ({
  type: 'tool.settled',
  turn,
  call,
  tool,
  ok,
  outcome,
  ...(content === undefined ? {} : { content }),
  ms: Math.round(ms),
})
