import type { DryRun, Engine, SentContext } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { findSession } from './find-session.ts'
import { harmlessJson } from './harmless.ts'
import { inkFor } from './ink.ts'
import { ago } from './phrase.ts'
import { reading } from './reading.ts'
import { summaryPage, whyPage } from './receipt-page.ts'
import { complain, MISUSED, print, type Terminal } from './terminal.ts'

export type ContextOptions = {
  readonly turn?: number
  readonly step?: number
  readonly why?: boolean
  readonly raw?: boolean
  readonly json?: boolean
  readonly policy?: string
  readonly at?: number
}

/** Shows what a model was sent, or, under another policy or at another moment, what it would be. */
export async function contextCommand(terminal: Terminal, wanted: string, options: ContextOptions): Promise<number> {
  if (options.at !== undefined && options.turn !== undefined) {
    return complain(terminal, '--turn and --at both name a moment; give one of them', MISUSED)
  }
  return reading(terminal, async engine => {
    const session = await findSession(engine, wanted)
    if (!session.ok) return complain(terminal, session.fault.message)
    const found = await contextOf(engine, session.value.id, options)
    if (!found.ok) return complain(terminal, found.fault.message)
    if (options.raw === true) printBody(terminal, found.value.context)
    else print(terminal, ...pageOf(terminal, found.value, options))
    return 0
  })
}

type Found = { readonly title: string; readonly context: SentContext }
type Turn = { readonly id: TurnId; readonly number: number; readonly cause: number; readonly at: string }

async function contextOf(engine: Engine, id: SessionId, options: ContextOptions): Promise<Result<Found, Fault>> {
  const { policy, at, step } = options
  const turns = await turnsOf(engine, id)
  if (!turns.ok) return turns
  const all = turns.value
  const asked = options.turn === undefined ? undefined : all[options.turn - 1]
  if (options.turn !== undefined && asked === undefined) {
    return err(fault('not-found', `there is no turn ${options.turn}; this session has ${all.length}`))
  }
  if (policy !== undefined || at !== undefined) {
    const replay = asked === undefined ? ok({}) : await momentOf(engine, id, asked)
    if (!replay.ok) return replay
    const chosen: DryRun = { ...(policy === undefined ? {} : { policy }), ...(at === undefined ? {} : { at }), ...replay.value }
    const context = await engine.wouldSend(id, chosen)
    const moment = asked === undefined ? (at === undefined ? 'now' : `as of seq ${at}`) : `in turn ${asked.number}`
    return context.ok ? ok({ title: `What would be sent ${moment}; nothing was`, context: context.value }) : context
  }
  // The newest turn may have ended before anything was sent.
  for (const turn of asked === undefined ? all.toReversed() : [asked]) {
    const context = await engine.asSent(id, turn.id, step)
    const title = `What the model was sent in turn ${turn.number} of ${all.length}, ${ago(turn.at, Date.now())}`
    if (context.ok) return ok({ title, context: context.value })
    if (context.fault.kind !== 'not-found' || asked !== undefined) return context
  }
  return err(fault('not-found', 'nothing was sent in this session yet; say something with "turnwise ask -s"'))
}

async function turnsOf(engine: Engine, id: SessionId): Promise<Result<readonly Turn[], Fault>> {
  const started = await engine.read(id, { only: 'turn.started' })
  if (!started.ok) return started
  const turns = started.value.flatMap(event => (event.type === 'turn.started' ? [event] : []))
  return ok(turns.map(({ turn, cause, at }, index) => ({ id: turn, number: index + 1, cause, at })))
}

/** A turn again, from before its message was said. */
async function momentOf(engine: Engine, id: SessionId, { cause }: Turn): Promise<Result<DryRun, Fault>> {
  const read = await engine.read(id, { after: cause - 1, through: cause })
  if (!read.ok) return read
  const [message] = read.value
  return message?.type === 'message.received'
    ? ok({ at: cause - 1, text: message.text })
    : err(fault('not-found', `the message at seq ${cause} can no longer be read`))
}

function pageOf(terminal: Terminal, { title, context }: Found, { why, json }: ContextOptions): readonly string[] {
  const ink = inkFor(terminal.stdout, terminal.environment)
  if (json === true) return [harmlessJson(context)]
  if (why === true) return whyPage({ title, context, ink })
  return [...summaryPage({ title, context, ink }), '', ink.dim('  --why gives each line its reason, --raw the request itself')]
}

/** To a file or a pipe exactly the bytes of the digest; to a terminal the same JSON, harmless and with an end of line. */
function printBody({ stdout }: Terminal, { request }: SentContext): void {
  if (stdout.isTTY === true) stdout.write(`${harmlessJson(request?.body)}\n`)
  else stdout.write(JSON.stringify(request?.body ?? null))
}
