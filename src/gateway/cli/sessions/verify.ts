// The verify command.
import type { Engine, Verification } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { figure } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { everySession, findSession } from './find-session.ts'
import { reading } from './reading.ts'

type Difference = { readonly session: SessionId; readonly turn: string; readonly step: number; readonly detail: string }

type Tally = {
  readonly identical: number
  readonly different: number
  readonly notComparable: number
  readonly first: Difference | null
}

export type VerifyOptions = { readonly all?: boolean; readonly json?: boolean }

/** Builds every recorded request again and compares it with the bytes that were sent. */
export async function verifyCommand(terminal: Terminal, wanted: string | undefined, options: VerifyOptions): Promise<number> {
  if (wanted !== undefined && options.all === true) return complain(terminal, 'give a session or --all, not both', MISUSED)
  return reading(terminal, async engine => {
    const tally = await verifyAll(engine, wanted, progressOn(terminal))
    if (!tally.ok) return complain(terminal, tally.fault.message)
    const { identical, different, notComparable, first } = tally.value
    const total = identical + different + notComparable
    if (options.json === true) print(terminal, jsonForTerminal({ total, ...tally.value }))
    else printPage(terminal, summary(tally.value, inkFor(terminal.stdout, terminal.environment)))
    if (first === null) return 0
    const place = `${first.session}, turn ${first.turn}, step ${first.step}`
    return complain(terminal, `the log no longer gives what was sent: ${place}: ${first.detail}; compare with a backup`)
  })
}

async function verifyAll(
  engine: Engine,
  wanted: string | undefined,
  progress: (done: number) => void,
): Promise<Result<Tally, Fault>> {
  let tally: Tally = { identical: 0, different: 0, notComparable: 0, first: null }
  for await (const session of wanted === undefined ? everySession(engine) : [await findSession(engine, wanted)]) {
    if (!session.ok) return session
    for await (const verification of engine.verify(session.value.id)) {
      tally = counted(tally, session.value.id, verification)
      progress(tally.identical + tally.different + tally.notComparable)
    }
  }
  progress(0)
  return ok(tally)
}

function counted(tally: Tally, session: SessionId, { turn, step, verdict, detail = '' }: Verification): Tally {
  switch (verdict) {
    case 'identical':
      return { ...tally, identical: tally.identical + 1 }
    case 'not-comparable':
      return { ...tally, notComparable: tally.notComparable + 1 }
    case 'different':
      return { ...tally, different: tally.different + 1, first: tally.first ?? { session, turn, step, detail } }
  }
}

function summary({ identical, different, notComparable }: Tally, ink: ReturnType<typeof inkFor>): string {
  const comparable = identical + different
  if (comparable + notComparable === 0) return 'Nothing was sent yet, so there is nothing to verify.'
  const verdict = `${figure(identical)}/${figure(comparable)} identical`
  return [
    different === 0 ? ink.good(verdict) : ink.bad(verdict),
    ...(different === 0 ? [] : [`${figure(different)} different`]),
    ...(notComparable === 0 ? [] : [`${figure(notComparable)} not comparable`]),
  ].join(', ')
}

const EVERY = 100

/** A running count for people who watch; 0 clears it. */
function progressOn({ stderr }: Terminal): (done: number) => void {
  return done => {
    if (stderr.isTTY !== true) return
    if (done === 0) stderr.write('\r\x1b[K')
    else if (done % EVERY === 0) stderr.write(`\r${figure(done)} …`)
  }
}
