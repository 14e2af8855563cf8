// The verify command.
import type { Engine, Verification } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { type Ink, inkFor } from '../output/ink.ts'
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

/** What was sent, and what recall chose for it where that was looked up again. */
type Tallies = { readonly sent: Tally; readonly deep: Tally & { readonly why: string | null } }

export type VerifyOptions = { readonly all?: boolean; readonly deep?: boolean; readonly json?: boolean }

/** Builds every recorded request again and compares it with the bytes that were sent; deep, what was recalled is looked up again too. */
export async function verifyCommand(terminal: Terminal, wanted: string | undefined, options: VerifyOptions): Promise<number> {
  if (wanted !== undefined && options.all === true) return complain(terminal, 'give a session or --all, not both', MISUSED)
  return reading(terminal, async engine => {
    const tallies = await verifyAll(engine, wanted, options, progressOn(terminal))
    if (!tallies.ok) return complain(terminal, tallies.fault.message)
    const { sent, deep } = tallies.value
    const total = sent.identical + sent.different + sent.notComparable
    const isDeep = options.deep === true
    if (options.json === true) print(terminal, jsonForTerminal({ total, ...sent, ...(isDeep ? { deep } : {}) }))
    else {
      const ink = inkFor(terminal.stdout, terminal.environment)
      printPage(terminal, summary(sent, ink), ...(isDeep ? [deepSummary(deep, ink), ...whyNot(deep, ink)] : []))
    }
    if (sent.first !== null)
      return complain(terminal, `the log no longer gives what was sent: ${placed(sent.first)}; compare with a backup`)
    if (isDeep && deep.first !== null)
      return complain(terminal, `recall no longer gives what was sent: ${placed(deep.first)}; compare with a backup`)
    return 0
  })
}

const placed = ({ session, turn, step, detail }: Difference): string => `${session}, turn ${turn}, step ${step}: ${detail}`

const NONE: Tally = { identical: 0, different: 0, notComparable: 0, first: null }

async function verifyAll(
  engine: Engine,
  wanted: string | undefined,
  { deep: isDeep = false }: VerifyOptions,
  progress: (done: number) => void,
): Promise<Result<Tallies, Fault>> {
  let [sent, deep, why]: [Tally, Tally, string | null] = [NONE, NONE, null]
  for await (const session of wanted === undefined ? everySession(engine) : [await findSession(engine, wanted)]) {
    if (!session.ok) return session
    for await (const verification of engine.verify(session.value.id, { deep: isDeep })) {
      const { turn, step, deep: again } = verification
      sent = counted(sent, session.value.id, verification)
      if (again !== undefined) deep = counted(deep, session.value.id, { turn, step, ...again })
      if (again?.verdict === 'not-comparable') why ??= again.detail ?? null
      progress(sent.identical + sent.different + sent.notComparable)
    }
  }
  progress(0)
  return ok({ sent, deep: { ...deep, why } })
}

function counted(
  tally: Tally,
  session: SessionId,
  { turn, step, verdict, detail = '' }: Pick<Verification, 'turn' | 'step' | 'verdict' | 'detail'>,
): Tally {
  switch (verdict) {
    case 'identical':
      return { ...tally, identical: tally.identical + 1 }
    case 'not-comparable':
      return { ...tally, notComparable: tally.notComparable + 1 }
    case 'different':
      return { ...tally, different: tally.different + 1, first: tally.first ?? { session, turn, step, detail } }
  }
}

/** What recall chose is counted apart: most requests quote nothing. */
function deepSummary({ identical, different, notComparable }: Tally, ink: Ink): string {
  if (identical + different + notComparable === 0) return 'deep: nothing was looked up for any request'
  const parts = [
    (different === 0 ? ink.good : ink.bad)(`${figure(identical)} identical`),
    ...(different === 0 ? [] : [`${figure(different)} different`]),
    ...(notComparable === 0 ? [] : [`${figure(notComparable)} not comparable`]),
  ]
  return `deep: ${parts.join(', ')}`
}

const whyNot = ({ why }: Tallies['deep'], ink: Ink): readonly string[] =>
  why === null ? [] : [ink.dim(`  not comparable: ${escapeToOneLine(why)}`)]

function summary({ identical, different, notComparable }: Tally, ink: Ink): string {
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
