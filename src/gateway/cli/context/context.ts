// The context command.
import type { DryRun, Engine, SentContext } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { type CostRange, costRangeWords, isPriced } from '../output/cost-words.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { type Ink, inkFor } from '../output/ink.ts'
import type { PrintedPage } from '../output/page.ts'
import { ago } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import { reading } from '../sessions/reading.ts'
import { cachePage } from './cache.ts'
import { diffPage } from './diff.ts'
import type { TurnRange } from './pair.ts'
import { summaryPage, whyPage } from './receipt-page.ts'
import { momentOf, sentIn, turnNumbered, turnsMeant, voiceMeant } from './turns.ts'
import { wherePage } from './where.ts'

export type ContextOptions = {
  readonly turn?: number
  readonly step?: number
  /** Counts only the turns of this voice. */
  readonly voice?: string
  readonly why?: boolean
  readonly raw?: boolean
  readonly json?: boolean
  /** True compares with the previous request; a range compares two turns. */
  readonly diff?: true | TurnRange
  readonly cache?: boolean
  /** One policy, or two to compare with each other. */
  readonly policy?: readonly string[]
  readonly model?: string
  /** The most tokens the request may have. */
  readonly budget?: number
  readonly at?: number
  /** A seq: lists the later requests that contain its message. */
  readonly where?: number
  /** The hint about how to see more, if the options did not ask for more. */
  readonly closer?: string
}

const CLOSER = '--why gives each line its reason, --raw the request itself, --diff what changed'

/** Shows what a model was sent, or what it would be sent under another policy or at another moment. */
export async function contextCommand(terminal: Terminal, wanted: string, options: ContextOptions): Promise<number> {
  const misuse = misuseOf(options)
  if (misuse !== undefined) return complain(terminal, misuse, MISUSED)
  return reading(terminal, async engine => {
    const session = await findSession(engine, wanted)
    if (!session.ok) return complain(terminal, session.fault.message)
    const page = await pageOf(engine, session.value.id, options, inkFor(terminal.stdout, terminal.environment))
    if (!page.ok) return complain(terminal, page.fault.message)
    if (options.json === true) print(terminal, jsonForTerminal(page.value.json))
    else if (options.raw === true) printBody(terminal, page.value.json as SentContext)
    else printPage(terminal, ...page.value.lines)
    return 0
  })
}

async function pageOf(engine: Engine, id: SessionId, options: ContextOptions, ink: Ink): Promise<Result<PrintedPage, Fault>> {
  if (options.where !== undefined) return wherePage(engine, id, { ...options, where: options.where }, ink)
  if (options.cache === true) return cachePage(engine, id, options, ink)
  if (options.diff !== undefined) return diffPage(engine, id, { ...options, diff: options.diff }, ink)
  const found = await contextOf(engine, id, options)
  if (!found.ok) return found
  const { title, context, cost = null } = found.value
  const price = isPriced(cost) ? [`  it would cost ${costRangeWords(cost)}`] : []
  const hint = ink.dim(`  ${options.closer ?? CLOSER}`)
  const lines = options.why === true ? whyPage({ title, context, ink }) : summaryPage({ title, context, ink })
  return ok({ lines: [...lines, ...price, ...(options.why === true ? [] : ['', hint])], json: context })
}

/** Pages for people quote what was recalled, so they need the texts. */
const hasItems = ({ json, raw }: ContextOptions): boolean => json !== true && raw !== true

type Found = { readonly title: string; readonly context: SentContext; readonly cost?: CostRange | null }

async function contextOf(engine: Engine, id: SessionId, options: ContextOptions): Promise<Result<Found, Fault>> {
  const { at, model, budget, voice } = options
  const [policy] = options.policy ?? []
  const turns = await turnsMeant(engine, id, voice)
  if (!turns.ok) return turns
  const all = turns.value
  if (policy === undefined && model === undefined && budget === undefined && at === undefined) {
    const sent = await sentIn(engine, id, all, { ...options, items: hasItems(options) })
    if (!sent.ok) return sent
    const { turn, context } = sent.value
    const which = `turn ${turn.number} of ${all.length}${voice === undefined ? '' : ` by ${escapeToOneLine(turn.voice)}`}`
    return ok({ title: `What the model was sent in ${which}, ${ago(turn.at, Date.now())}`, context })
  }
  const asked = options.turn === undefined ? ok(undefined) : turnNumbered(all, options.turn)
  if (!asked.ok) return asked
  const chosen: DryRun = {
    ...(policy === undefined ? {} : { policy }),
    ...(model === undefined ? {} : { model }),
    ...(budget === undefined ? {} : { budget }),
    ...(at === undefined ? {} : { at }),
    ...voiceMeant(all, voice),
    whole: options.raw === true,
    items: hasItems(options),
    ...(asked.value === undefined ? {} : momentOf(asked.value)),
  }
  const context = await engine.wouldSend(id, chosen)
  const moment = asked.value === undefined ? (at === undefined ? 'now' : `as of seq ${at}`) : `in turn ${asked.value.number}`
  if (!context.ok) return context
  return ok({ title: `What would be sent ${moment}; nothing was`, context: context.value, cost: context.value.cost })
}

/** The complaint about options that do not go together. */
function misuseOf({ turn, step, at, policy = [], model, budget, diff, cache, where }: ContextOptions): string | undefined {
  const isWhatIf = policy.length > 0 || model !== undefined || budget !== undefined
  const isOne = isWhatIf || turn !== undefined || step !== undefined || at !== undefined
  if (at !== undefined && turn !== undefined) return '--turn and --at both name a moment; give one of them'
  if (step !== undefined && (isWhatIf || at !== undefined))
    return 'what would be sent is the first request of a turn; leave out --step'
  if (where !== undefined && isOne) return '--where looks at every request after that seq; leave out what names one of them'
  if (cache === true && isOne) return '--cache looks at every request that was sent; leave out what names one of them'
  if (policy.length > 2) return 'two policies can be compared, not more'
  if (policy.length === 2 && diff === undefined) return 'two policies are compared with --diff; give it, or one policy'
  if (typeof diff === 'object' && isOne)
    return '--diff with two turns compares what was sent in them; leave out what names anything else'
  return undefined
}

/** A file or a pipe gets exactly the bytes of the digest. A terminal gets the same JSON, escaped and with a line end. */
function printBody({ stdout }: Terminal, { request }: SentContext): void {
  if (stdout.isTTY === true) stdout.write(`${jsonForTerminal(request?.body)}\n`)
  else stdout.write(JSON.stringify(request?.body ?? null))
}
