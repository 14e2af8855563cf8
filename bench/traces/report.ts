// The rows of the benchmark of traces, what must be true of them, and how they are shown.
import { tokensOf } from '../billing.ts'
import { markdown } from '../measure.ts'
import type { TraceSums } from './measure-trace.ts'
import type { TraceWindow } from './windows.ts'

export type TraceRow = {
  readonly set: string
  readonly limit: number
  readonly window: string
  readonly kind: TraceWindow['kind']
  readonly feasible: number
  readonly sent: number
  readonly valid: number
  /** Of the feasible requests, those that were sent and are valid. */
  readonly validShare: number
  /** The times the last exchange had to be there and was; null where it never had to. */
  readonly exchangeShare: number | null
  readonly units: number
  /** Billed units ÷ those of the full history with caching, for the same requests. */
  readonly ofFull: number
  readonly cachedShare: number
  /** Of the identifiers that replies used, those in their requests; what was not sent shows none. */
  readonly visibleShare: number | null
  readonly whys: readonly (readonly [string, number])[]
}

type Of = Pick<TraceRow, 'set' | 'limit'> & { readonly window: Pick<TraceWindow, 'name' | 'kind'> }

export function traceRow({ set, limit, window }: Of, sums: TraceSums, whole: TraceSums): TraceRow {
  const { feasible, sent, valid, exchanges, exchangesKept, units, bill, used, visible, whys } = sums
  const tokens = tokensOf(bill)
  return {
    ...{ set, limit, window: window.name, kind: window.kind, feasible, sent, valid, units },
    validShare: feasible === 0 ? 1 : valid / feasible,
    exchangeShare: exchanges === 0 ? null : exchangesKept / exchanges,
    ofFull: whole.units === 0 ? 0 : units / whole.units,
    cachedShare: tokens === 0 ? 0 : bill.read / tokens,
    visibleShare: used === 0 ? null : visible / used,
    whys: [...whys].sort(([, a], [, b]) => b - a).slice(0, 5),
  }
}

/** No provider keeps a shorter prefix, so at smaller limits every token is plain. */
const LEAST_CACHED = 1024

/** What must be true and is not. */
export function brokenMusts(rows: readonly TraceRow[]): readonly string[] {
  return rows
    .filter(({ kind }) => kind === 'ours')
    .flatMap(({ set, limit, window, feasible, valid, exchangeShare, ofFull, whys }) => {
      const where = `${set} at ${limit.toLocaleString('en')}, ${window}`
      const reasons = whys.map(([why, times]) => `${why} (${times})`).join(', ')
      const isDear = /^(full|steady)( with (recall|memory))?$/.test(window) && limit >= LEAST_CACHED && ofFull > 1
      return [
        ...(valid < feasible ? [`${where}: ${valid} of ${feasible} feasible requests sent and valid; ${reasons}`] : []),
        ...(exchangeShare !== null && exchangeShare < 1
          ? [`${where}: the last exchange was there ${percent(exchangeShare)} of the times it must be`]
          : []),
        ...(isDear ? [`${where}: ${ofFull.toFixed(3)} of the full history's bill`] : []),
      ]
    })
}

/** One table for each set and limit. */
export function traceTables(rows: readonly TraceRow[]): readonly string[] {
  const groups = Map.groupBy(rows, ({ set, limit }) => `${set}, ${limit.toLocaleString('en')} tokens in all`)
  return [...groups].flatMap(([title, own]) => {
    const head = [
      '',
      'sent and valid',
      'sent',
      'last exchange',
      '÷ full, cached',
      'billed units',
      'cached',
      'ids visible',
      'why not',
    ]
    const cells = own.map(row => [
      row.window,
      percent(row.validShare),
      `${row.sent.toLocaleString('en')} of ${row.feasible.toLocaleString('en')}`,
      row.exchangeShare === null ? '–' : percent(row.exchangeShare),
      row.ofFull.toFixed(2),
      Math.round(row.units).toLocaleString('en'),
      percent(row.cachedShare),
      row.visibleShare === null ? '–' : percent(row.visibleShare),
      row.whys[0]?.[0] ?? '',
    ])
    return [title, '', ...markdown(head, cells), '']
  })
}

export const percent = (share: number): string => {
  // A share that is not quite all must not look like all.
  const shown = Math.floor(share * 1000) / 10
  return `${shown.toFixed(1)} %`
}
