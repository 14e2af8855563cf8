/** Folds as people read them: a line for each, a list of all, and what a receipt says of them. */
import type { Fold } from '../../../engine.ts'
import { foldedWords, type HistoryFolded } from '../../../model/fold.ts'
import type { OutLine, Receipt } from '../../../model/receipt.ts'
import { escapeForTerminal, escapeToOneLine } from './escape-for-terminal.ts'
import { counted, figure } from './phrase.ts'

type Folded = Pick<HistoryFolded, 'from' | 'to' | 'text' | 'folded'> & { readonly tokens: number }

/** What a fold stands for, and what it takes instead. Streams do not carry its own tokens. */
export function foldSentence({ from, to, text, folded, tokens }: Folded): string {
  const words = foldedWords({ from, to, text })
  if (text === '' || folded === undefined) return words
  return tokens === 0
    ? `${words} · they took ${counted(folded, 'token')}`
    : `${words} · ${figure(folded)} → ${counted(tokens, 'token')}`
}

const MADE_BY: Readonly<Record<Fold['by'], string>> = {
  model: 'by a model',
  extract: 'literal sentences',
  person: 'edited',
}

/** A fold in a list; `number` is its place among those that count. */
export function foldListed(fold: Fold, number: number): string {
  const whose = fold.voice === undefined ? '' : ` · for ${escapeToOneLine(fold.voice)}`
  return `${number}  seq ${fold.seq}  ${foldSentence(fold)} · ${MADE_BY[fold.by]}${whose}`
}

/** The words of a fold, and those that were left out of it because the messages do not say them. */
export const wordsOfFold = ({ text, left = [] }: Pick<Fold, 'text' | 'left'>): readonly string[] => [
  escapeForTerminal(text),
  ...(left.length === 0 ? [] : ['', `Left out, because the messages do not say so: ${left.map(escapeToOneLine).join(' · ')}`]),
]

/** The folds that count, oldest first: what people number them by. */
export const countingFolds = (all: readonly Fold[]): readonly Fold[] => all.filter(({ counts }) => counts)

/** What a request has only in summary; nothing if it has no summary. */
export function foldSummary({ in: shown, out }: Pick<Receipt, 'in' | 'out'>): readonly string[] {
  const under = out.filter(({ reason }) => reason === 'out.folded')
  const tokens = shown.reduce((sum, line) => sum + (line.reason === 'summary.folded' ? line.tokens : 0), 0)
  if (under.length === 0) return []
  return [`Summarized: messages ${joinedRanges(under)} (${counted(tokens, 'token')})`]
}

/** Lines that follow each other are one stretch for a person. */
function joinedRanges(lines: readonly OutLine[]): string {
  const ranges: [number, number][] = []
  for (const { from = 0, to = from } of lines) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else ranges.push([from, to])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(', ')
}
