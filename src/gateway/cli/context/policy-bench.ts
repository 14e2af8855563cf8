// The command that compares policies over one's own sessions.
import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { BenchProgress, BenchReport, BenchRow, Engine, QuestionPair } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { parseJsonc } from '../../files/jsonc.ts'
import { complaints } from '../../workspace/complaint.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { type Ink, inkFor } from '../output/ink.ts'
import { counted, figure, percent } from '../output/phrase.ts'
import { complain, MISUSED, print, type Terminal } from '../output/terminal.ts'
import { everySession, sessionMeant } from '../sessions/find-session.ts'
import { reading } from '../sessions/reading.ts'
import { contenderName, lettersOf, pointsOf, rowName, svgChart, textChart } from './bench-chart.ts'

export type BenchOptions = {
  readonly policies?: readonly string[]
  readonly sessions?: readonly string[]
  readonly all?: boolean
  readonly budgets?: readonly number[]
  /** A file of questions with their evidence. */
  readonly pairs?: string
  /** Where an SVG is written. */
  readonly chart?: string
  /** False if policies with a memory are not compared without it. */
  readonly memory?: boolean
  readonly json?: boolean
}

/** Compares policies: what each would have sent for every turn, at what price, and with how much of what matters. */
export async function policyBenchCommand(terminal: Terminal, options: BenchOptions): Promise<number> {
  const written = options.pairs === undefined ? ok(undefined) : await writtenPairs(options.pairs)
  if (!written.ok) return complain(terminal, `${options.pairs}: ${written.fault.message}`, MISUSED)
  return reading(terminal, async engine => {
    const known = engine.policies.map(({ name }) => name)
    const unknown = options.policies?.find(name => !known.includes(name))
    if (unknown !== undefined) return complain(terminal, `there is no policy "${unknown}"; known: ${known.join(', ')}`, MISUSED)
    const pairs = written.value === undefined ? ok(undefined) : await placed(engine, written.value)
    if (!pairs.ok) return complain(terminal, `${options.pairs}: ${pairs.fault.message}`, MISUSED)
    const sessions = await sessionsMeant(engine, options, pairs.value)
    if (!sessions.ok) return complain(terminal, sessions.fault.message)
    const progress = progressOn(terminal)
    const report = await engine.bench(
      {
        sessions: sessions.value,
        policies: options.policies ?? known,
        withoutMemory: options.memory !== false,
        ...(options.budgets === undefined ? {} : { budgets: options.budgets }),
        ...(pairs.value === undefined ? {} : { pairs: pairs.value }),
      },
      progress.tell,
    )
    progress.clear()
    if (!report.ok) return complain(terminal, report.fault.message)
    const points = pointsOf(report.value.rows)
    if (options.chart !== undefined) {
      const saved = await saveChart(options.chart, svgChart(points))
      if (!saved.ok) return complain(terminal, saved.fault.message)
    }
    if (options.json === true) print(terminal, jsonForTerminal(report.value))
    else print(terminal, ...page(report.value, options, inkFor(terminal.stdout, terminal.environment)))
    return 0
  })
}

type WrittenPair = { readonly session: string; readonly question: string; readonly evidence: readonly number[] }

const pairsSchema: z.ZodType<{ readonly pairs: readonly WrittenPair[] }> = z.strictObject({
  pairs: z
    .array(
      z.strictObject({
        session: z.string().min(1),
        question: z.string().min(1),
        evidence: z.array(z.int().min(1)).min(1, 'names no message; give the seq of one'),
      }),
    )
    .min(1, 'has no questions; write at least one'),
})

async function writtenPairs(path: string): Promise<Result<readonly WrittenPair[], Fault>> {
  try {
    // Files of ours are objects; this one is a list.
    const json = parseJsonc(`{"pairs":${(await readFile(path, 'utf8')).trim()}\n}`)
    if (!json.ok) return json
    const parsed = pairsSchema.safeParse(json.value)
    if (parsed.success) return ok(parsed.data.pairs)
    return err(fault('invalid', complaints(pairsSchema, json.value, parsed.error)[0] ?? 'is no list of questions'))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', code === 'ENOENT' ? 'there is no such file; write one as in docs/policy.md' : message))
  }
}

async function placed(engine: Engine, pairs: readonly WrittenPair[]): Promise<Result<readonly QuestionPair[], Fault>> {
  const found: QuestionPair[] = []
  for (const [index, { session: wanted, question, evidence }] of pairs.entries()) {
    const session = await sessionMeant(engine, wanted)
    if (!session.ok) return err(fault(session.fault.kind, `pairs.${index}.session: ${session.fault.message}`))
    found.push({ session: session.value.id, question, evidence })
  }
  return ok(found)
}

/** The sessions that were named, or those of the questions, or all; each once. */
async function sessionsMeant(
  engine: Engine,
  { sessions: named, all }: BenchOptions,
  pairs: readonly QuestionPair[] | undefined,
): Promise<Result<readonly SessionId[], Fault>> {
  const ids: SessionId[] = []
  if (named === undefined && all !== true && pairs !== undefined) ids.push(...pairs.map(({ session }) => session))
  else if (named === undefined) {
    for await (const session of everySession(engine)) {
      if (!session.ok) return session
      ids.push(session.value.id)
    }
  }
  for (const wanted of named ?? []) {
    const session = await sessionMeant(engine, wanted)
    if (!session.ok) return session
    ids.push(session.value.id)
  }
  return ok([...new Set(ids)])
}

const EVERY_MS = 100

/** A progress line for people who watch. */
function progressOn({ stderr }: Terminal): { readonly tell: (done: BenchProgress) => void; readonly clear: () => void } {
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    tell: ({ session, requests, ...contender }) => {
      if (stderr.isTTY !== true || performance.now() - reportedAt < EVERY_MS) return
      reportedAt = performance.now()
      const { budget } = contender
      const name = contenderName(contender)
      const under = budget === null ? name : `${name} with ${figure(budget)} tokens`
      stderr.write(`\r\x1b[K${session}, ${escapeToOneLine(under)}: ${counted(requests, 'request')} …`)
    },
    clear: () => {
      if (reportedAt > 0) stderr.write('\r\x1b[K')
    },
  }
}

function page(report: BenchReport, { chart }: BenchOptions, ink: Ink): readonly string[] {
  const { rows, sessions, questions, isMade, skipped } = report
  const letters = lettersOf(rows)
  const best = new Set(pointsOf(rows).flatMap(({ name, isBest }) => (isBest ? [name] : [])))
  const isBest = (row: BenchRow): boolean => best.has(rowName(row))
  const hasBudgets = rows.some(({ budget }) => budget !== null)
  const table = aligned([
    ['', 'policy', ...(hasBudgets ? ['budget'] : []), 'recall', 'price', 'tokens', 'cached', 'identifiers', ''],
    ...rows.map(row => [
      letters.get(contenderName(row)) ?? '?',
      escapeToOneLine(contenderName(row)),
      ...(hasBudgets ? [row.budget === null ? 'its own' : figure(row.budget)] : []),
      row.recall === null ? '–' : percent(row.recall),
      figure(row.units),
      figure(row.tokens),
      percent(row.cached),
      row.used === 0 ? '–' : percent(row.visible / row.used),
      remarks(row, isBest(row)),
    ]),
  ])
  const [head = '', ...lines] = table
  const asked = `${counted(questions, 'question')} ${isMade ? 'made from' : 'about'} ${counted(sessions, 'session')}`
  return [
    ink.bold(`${asked}; no model was asked`),
    ...skipped.map(({ session, why }) => ink.warn(`  left out ${session}: ${escapeToOneLine(why)}`)),
    '',
    ink.dim(head),
    ...lines.map((line, index) => (rows[index] !== undefined && isBest(rows[index]) ? ink.good(line) : line)),
    '',
    ink.dim('  recall: evidence in the request · price and tokens: per request, price by what a cache would have billed'),
    ink.dim('  identifiers: of those that replies used, how many the request still showed'),
    ...(questions === 0 ? ['', `  ${noQuestions(isMade)}`] : ['', ...textChart(pointsOf(rows))]),
    ...(chart === undefined ? [] : ['', `  ${escapeToOneLine(chart)} has the chart`]),
  ]
}

const remarks = ({ requests, tooLong, inPart, folds, foldUnits }: BenchRow, isBest: boolean): string =>
  [
    ...(isBest ? ['best for its price'] : []),
    ...(folds === 0 ? [] : [`${counted(folds, 'summary', 'summaries')} for ${figure(foldUnits)} of its price`]),
    ...(inPart === 0 ? [] : [`${figure(inPart)} in part`]),
    ...(tooLong === 0 ? [] : [`${figure(tooLong)} of ${counted(requests + tooLong, 'request')} did not fit`]),
  ].join('; ')

const noQuestions = (isMade: boolean): string =>
  isMade
    ? 'No message names anything that was said once before and that a window hides: give --pairs, other sessions or smaller --budgets.'
    : 'There are no questions about these sessions.'

/** Never over a file that is there. */
async function saveChart(path: string, chart: string): Promise<Result<null, Fault>> {
  try {
    await writeFile(path, chart, { flag: 'wx' })
    return ok(null)
  } catch (cause) {
    const isThere = (cause as { readonly code?: string }).code === 'EEXIST'
    return err(
      fault(
        'invalid',
        isThere ? `${path} exists already and is left as it is; choose another name` : `${path} cannot be written`,
      ),
    )
  }
}
