// Shows how much of each request a cache could know.
import type { Engine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { CacheLint } from '../../../model/receipt.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import type { PrintedPage } from '../output/page.ts'
import { counted, figure, percent } from '../output/phrase.ts'
import { reasonWords } from '../output/reason-words.ts'
import { type ListedRequest, requestsOf } from './requests.ts'
import { turnsMeant } from './turns.ts'

/** Every request of a session, or of one voice, with how much of it a provider's cache could know and what broke the cache. */
export async function cachePage(
  engine: Engine,
  id: SessionId,
  { voice }: { readonly voice?: string },
  ink: Ink,
): Promise<Result<PrintedPage, Fault>> {
  const turns = await turnsMeant(engine, id, voice)
  if (!turns.ok) return turns
  const requests = await requestsOf(engine, id, turns.value)
  if (!requests.ok) return requests
  if (requests.value.length === 0)
    return err(fault('not-found', 'nothing was sent in this session yet; say something with "turnwise ask -s"'))
  const items = requests.value.map(itemOf)
  const summary = summaryOf(items)
  return ok({ lines: linesOf(items, summary, ink), json: { items, summary } })
}

type Item = {
  readonly turn: number
  readonly step: number
  readonly voice: string
  readonly policy: string
  readonly tokens: number
  /** What the provider says it read from its cache; null if it did not say. */
  readonly cached: number | null
  readonly reported: number | null
  readonly cache: CacheLint | null
}

const itemOf = ({ number, step, receipt, usage }: ListedRequest): Item => ({
  turn: number,
  step,
  voice: receipt.voice,
  policy: receipt.policy,
  tokens: receipt.tokens.estimated,
  cached: usage?.cacheRead ?? null,
  reported: usage === null ? null : usage.input + usage.cacheRead + usage.cacheWrite,
  cache: receipt.cache,
})

type Summary = {
  readonly requests: number
  readonly compared: number
  readonly meanShare: number | null
  readonly breaks: Readonly<Record<string, number>>
  readonly reported: number
  readonly cached: number
}

function summaryOf(items: readonly Item[]): Summary {
  const lints = items.flatMap(({ cache }) => (cache === null ? [] : [cache]))
  const share = lints.reduce((sum, { stableShare }) => sum + stableShare, 0)
  const broken = Map.groupBy(
    lints.flatMap(({ brokenBy }) => (brokenBy === null ? [] : [brokenBy.reason])),
    reason => reason,
  )
  const byCount = [...broken].map(([reason, all]) => [reason, all.length] as const).sort(([, a], [, b]) => b - a)
  return {
    requests: items.length,
    compared: lints.length,
    meanShare: lints.length === 0 ? null : Math.round((share / lints.length) * 1000) / 1000,
    breaks: Object.fromEntries(byCount),
    reported: items.reduce((sum, { reported }) => sum + (reported ?? 0), 0),
    cached: items.reduce((sum, { cached }) => sum + (cached ?? 0), 0),
  }
}

function linesOf(items: readonly Item[], summary: Summary, ink: Ink): readonly string[] {
  const voices = new Set(items.map(({ voice }) => voice))
  const rows = aligned(
    items.map(({ turn, step, voice, tokens, cached, cache }) => [
      `turn ${turn}`.padEnd(`turn ${figure(items.at(-1)?.turn ?? 0)}`.length),
      `step ${step}`,
      ...(voices.size === 1 ? [] : [escapeToOneLine(voice)]),
      `${figure(tokens)} tokens`,
      cache === null ? '' : percent(cache.stableShare),
      [cacheNote(cache), cached === null || cached === 0 ? '' : `${figure(cached)} read from the cache`]
        .filter(text => text !== '')
        .join('; '),
    ]),
  )
  return [
    ink.bold('How much of each request was the beginning of the one before'),
    '',
    ...rows.map((row, index) => (items[index]?.cache?.brokenBy ? ink.warn(row) : row)),
    '',
    ...closing(summary),
  ]
}

function cacheNote(cache: CacheLint | null): string {
  if (cache === null) return 'nothing before it to compare with'
  const { brokenBy } = cache
  return brokenBy === null ? '' : `broken by ${escapeToOneLine(brokenBy.item)} (${reasonWords(brokenBy.reason)})`
}

function closing({ compared, meanShare, breaks, reported, cached }: Summary): readonly string[] {
  if (meanShare === null) return ['  there is only one request, so there is nothing to compare']
  const all = Object.entries(breaks)
  const total = all.reduce((sum, [, count]) => sum + count, 0)
  const reasons = all.map(([reason, count]) => `${figure(count)} by ${reason}`).join(', ')
  return [
    `  ${percent(meanShare)} stayed on average, over ${counted(compared, 'request')}`,
    total === 0
      ? '  the prefix never broke'
      : `  the prefix broke ${total === 1 ? 'once' : `${figure(total)} times`}: ${reasons}`,
    ...(cached === 0 ? [] : [`  the provider read ${figure(cached)} of ${figure(reported)} tokens from its cache`]),
  ]
}
