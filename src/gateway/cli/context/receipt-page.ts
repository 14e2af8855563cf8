// Prints a receipt, in short or line by line.
import { unseenIn } from '../../../context/receipt/seen.ts'
import type { SentContext } from '../../../engine.ts'
import type { CacheLint, InLine, OutLine, Receipt, Rung } from '../../../model/receipt.ts'
import { samplingWords } from '../../../model/sampling-words.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import { foldSummary } from '../output/fold-words.ts'
import type { Ink } from '../output/ink.ts'
import { counted, figure, fitted, percent, stretch } from '../output/phrase.ts'
import { IN_WORDS, OUT_WORDS, reasonWords } from '../output/reason-words.ts'
import { partWords, pinnedElsewhere, recallSummary, seenWords } from '../output/seen-words.ts'

export type ReceiptPage = { readonly title: string; readonly context: SentContext; readonly ink: Ink }

/** What went in and what stayed out, in everyday words. */
export function summaryPage({ title, context, ink }: ReceiptPage): readonly string[] {
  const { receipt } = context
  const { estimated, limit } = receipt.tokens
  const rows = aligned([
    ...receipt.in.map(line => [IN_WORDS[line.reason], placeOf(line, context), figure(line.tokens)]),
    ...receipt.out.map(line => [OUT_WORDS[line.reason], leftOutWords(line), '']),
  ])
  return [
    ink.bold(title),
    ink.dim(`${receipt.model} · ${receipt.policy} · ${receipt.voice}`),
    ...sampled(receipt, ink),
    '',
    `  ${gauge(estimated / limit)}  ${figure(estimated)} of ${figure(limit)} tokens${reported(receipt)}`,
    ...seenLines(receipt, ink),
    '',
    ...rows.slice(0, receipt.in.length),
    '',
    ink.dim(receipt.out.length === 0 ? '  nothing was left out' : '  left out'),
    ...rows.slice(receipt.in.length),
    '',
    ...closing(context, ink),
  ]
}

/** The receipt line by line, each with its reason code. */
export function whyPage({ title, context, ink }: ReceiptPage): readonly string[] {
  const { receipt } = context
  const { estimated, limit, reserved, factor } = receipt.tokens
  const { begins } = receipt.window
  const from = begins === null ? '' : ` · window begins at seq ${begins}`
  const counting = factor === 1 ? '' : ` (counted × ${factor})`
  const rows = [
    ...receipt.in.map(line => ['in', `${figure(line.tokens)} tokens`, line.reason, placeOf(line, context)]),
    ...receipt.out.map(line => ['out', counted(line.count, 'message'), line.reason, stretch(line)]),
  ]
  return [
    ink.bold(title),
    ink.dim(`${receipt.model} · ${receipt.policy} · ${receipt.voice} · read through seq ${receipt.through}${from}`),
    ink.dim(
      `${figure(estimated)} of ${figure(limit)} tokens${counting}${reported(receipt)} · ${figure(reserved)} kept for the reply`,
    ),
    ...sampled(receipt, ink),
    ...seenLines(receipt, ink),
    '',
    ...aligned(rows),
    '',
    ...closing(context, ink),
  ]
}

/** How many messages the model saw, with a warning color if it missed some, and what was sent in part. */
const seenLines = (receipt: Receipt, ink: Ink): readonly string[] => [
  (unseenIn(receipt) === 0 ? ink.dim : ink.warn)(`  ${seenWords(receipt)}`),
  ...partWords(receipt).map(words => ink.warn(`  ${words}`)),
  ...[...pinnedElsewhere(receipt), ...foldSummary(receipt)].map(words => ink.dim(`  ${words}`)),
  ...recallSummary(receipt).map(words => (receipt.recall?.failed === undefined ? ink.dim : ink.warn)(`  ${words}`)),
]

/** One line about sampling, where anything is set. */
const sampled = ({ sampling, inputs }: Receipt, ink: Ink): readonly string[] =>
  inputs.sampling === undefined ? [] : [ink.dim(escapeToOneLine(samplingWords(inputs.sampling, sampling ?? {})))]

/** How much of a recalled message is shown to tell it from others. */
const MOST_QUOTED = 48

function placeOf(line: InLine, { items = [] }: Pick<SentContext, 'items'>): string {
  const many = line.count === undefined || line.count === 1 ? '' : counted(line.count, 'message')
  const place = [line.source === undefined ? '' : escapeToOneLine(line.source), many, stretch(line)]
    .filter(text => text !== '')
    .join(', ')
  const quoted =
    line.kind === 'recall'
      ? items.find(({ kind, from, hash }) => kind === 'recall' && from === line.from && hash === line.hash)
      : undefined
  if (quoted === undefined) return place
  // A quote begins with its day.
  const [, day = '', words = ''] = /^(\S+) (.*)$/s.exec(quoted.text) ?? []
  return `${day} ${place}  ${fitted(escapeToOneLine(words), MOST_QUOTED)}`
}

/** How much a line leaves out, and from which seqs. */
export const leftOutWords = (line: OutLine): string =>
  [counted(line.count, 'message'), stretch(line)].filter(text => text !== '').join(', ')

/** What the provider counted, once it has, with the separator before it. */
export const reported = ({ tokens: { reported, cached } }: Receipt): string =>
  reported === null
    ? ''
    : ` · the provider counted ${figure(reported)}${cached === null || cached === 0 ? '' : `, ${figure(cached)} of them cached`}`

/** Whether the log still produces these bytes, which is what makes a receipt trustworthy. */
function closing({ receipt, verified, difference }: SentContext, ink: Ink): readonly string[] {
  const remarks = [
    ...(receipt.degraded === null ? [] : [ink.warn(`  degraded: ${escapeToOneLine(receipt.degraded.reason)}`)]),
    ...(receipt.truncated === undefined
      ? []
      : [
          ink.warn(
            `  truncated: the model saw about ${figure(receipt.truncated.seen)} of ${figure(receipt.truncated.sent)} tokens`,
          ),
        ]),
    ...(receipt.ladder.length === 0 ? [] : [ink.warn(`  gave way to make it fit: ${rungs(receipt.ladder)}`)]),
    ...(receipt.cache === null ? [] : [`  ${cacheWords(receipt.cache)}`]),
  ]
  const digest = ink.dim(`  ${receipt.digest}`)
  if (receipt.id === null) return [...remarks, digest]
  const known = [...remarks, ink.dim(`  ${receipt.id}`), digest]
  if (verified === true) return [...known, `  ${ink.good('verified')}: the log still gives exactly these bytes`]
  const why = escapeToOneLine(difference ?? 'no reason is known')
  return [...known, verified === null ? `  ${ink.warn('not comparable')}: ${why}` : `  ${ink.bad('different')}: ${why}`]
}

const RUNG_WORDS: Readonly<Record<Rung, string>> = {
  asides: 'what was said elsewhere',
  thinking: 'the thinking of this turn',
  history: 'the oldest messages',
  skills: 'the text of skills',
  required: 'the longest of what it is about',
}

export const rungs = (ladder: readonly Rung[]): string => ladder.map(rung => RUNG_WORDS[rung]).join(', then ')

/** How much of a request a provider's cache may know from the previous one, and what ends that part. */
function cacheWords({ stableShare, brokenBy }: CacheLint): string {
  const share =
    stableShare === 0 ? 'it begins unlike the request before' : `its first ${percent(stableShare)} are as in the request before`
  return brokenBy === null
    ? share
    : `${share}; the cache is broken by ${escapeToOneLine(brokenBy.item)} (${reasonWords(brokenBy.reason)})`
}

const GAUGE = 24

const gauge = (share: number): string => {
  const full = Math.min(GAUGE, Math.max(share > 0 ? 1 : 0, Math.round(share * GAUGE)))
  return `${'█'.repeat(full)}${'░'.repeat(GAUGE - full)}`
}
