// Groups the items of a request by kind and reason.
import type { OutLine } from '../../../../src/model/receipt.ts'
import { type Slice, sliceOf } from '../../composer/ring/figures.ts'
import type { SeqRange } from '../../parts/pointing.ts'
import { quotedChat } from '../../view/recalled.ts'
import type { InspectedItem, InspectedRequest } from '../../wire/inspect-api.ts'
import { reasonSentence } from '../../words/reasons.ts'

/** How much of something the cache knew. */
export type CachedShare = 'all' | 'some' | 'none'

/** One item as it is listed. */
export type ItemEntry = { readonly key: string; readonly item: InspectedItem; readonly known: CachedShare }

/** Neighbours of one kind and reason, as on the receipt. */
export type ItemGroup = {
  readonly key: string
  readonly reason: string
  readonly slice: Slice
  readonly tokens: number
  readonly known: CachedShare
  readonly entries: readonly ItemEntry[]
}

/** What stayed out for one reason. */
export type LeftOutGroup = {
  readonly key: string
  readonly reason: string
  readonly count: number
  readonly lines: readonly OutLine[]
}

/** Every item. For a request that cannot be rebuilt, the lines of its receipt, which have no text. */
export const listedItems = ({ items, receipt }: Pick<InspectedRequest, 'items' | 'receipt'>): readonly InspectedItem[] =>
  (items ?? receipt.in.map(line => ({ ...line, name: line.source ?? line.kind, volatile: false, text: '' }))).map(item => {
    const chat = item.kind === 'recall' || item.reason === 'pin.person' ? quotedChat(receipt, item) : null
    return chat === null ? item : { ...item, chat }
  })

/** A cache knows a beginning, so what it knows is taken from the first items on. */
export function itemGroups(items: readonly InspectedItem[], cached: number): readonly ItemGroup[] {
  let left = cached
  const groups: { reason: string; kind: InspectedItem['kind']; entries: ItemEntry[] }[] = []
  items.forEach((item, index) => {
    const known = knownOf(left, item.tokens)
    left = Math.max(0, left - item.tokens)
    const last = groups.at(-1)
    const joins = last?.reason === item.reason && last.kind === item.kind && item.from !== undefined
    const entry = { key: `in ${index}`, item, known }
    if (joins) last.entries.push(entry)
    else groups.push({ reason: item.reason, kind: item.kind, entries: [entry] })
  })
  return groups.map(({ reason, entries }, index) => ({
    ...{ key: `group ${index}`, reason, entries, slice: sliceOf(reason) },
    tokens: entries.reduce((sum, { item }) => sum + item.tokens, 0),
    known: together(entries.map(({ known }) => known)),
  }))
}

function knownOf(left: number, tokens: number): CachedShare {
  if (left <= 0) return 'none'
  return left >= tokens ? 'all' : 'some'
}

const together = (all: readonly CachedShare[]): CachedShare =>
  all.every(known => known === 'all') ? 'all' : all.every(known => known === 'none') ? 'none' : 'some'

/** What stayed out, the most first. */
export function leftOf(out: readonly OutLine[]): readonly LeftOutGroup[] {
  const groups = [...Map.groupBy(out, ({ reason }) => reason)]
  return groups
    .map(([reason, lines]) => ({ key: `out ${reason}`, reason, lines, count: lines.reduce((sum, { count }) => sum + count, 0) }))
    .toSorted((one, other) => other.count - one.count)
}

/** An item in a word or two: its source, or who said it and at which seq. */
export function itemWords({
  kind,
  reason,
  source,
  role,
  from,
  to,
  chat,
}: Pick<InspectedItem, 'kind' | 'reason' | 'source' | 'role' | 'from' | 'to' | 'chat'>): string {
  if (kind === 'summary') return reasonSentence(reason)
  if (chat !== undefined) return `${kind === 'recall' ? 'Quoted from' : 'Pinned in'} “${chat.title}”`
  if (source !== undefined) return source
  if (reason === 'current.cycle') return `${reasonSentence(reason)} ${spanWords({ from, to })}`.trim()
  if (kind === 'recall' && from !== undefined) return `Quoted message ${from}`
  if ((kind === 'message' || kind === 'current') && from !== undefined)
    return `${role === 'assistant' ? 'Reply' : 'Message'} ${from}${reason === 'recent.excerpt' ? ', in part' : ''}`
  return reasonSentence(reason)
}

/** Whether an item's seqs are those of messages in this conversation. */
export const isHere = ({ kind, chat }: Pick<InspectedItem, 'kind' | 'chat'>): boolean => kind !== 'summary' && chat === undefined

/** Where the items of a group are, as it is read; quotes come from anywhere, so a stretch would say too much. */
export function groupSpan({ entries }: ItemGroup): SeqRange | null {
  const items = entries.map(({ item }) => item).filter(isHere)
  const places = items.flatMap(({ from, to }) => (from === undefined ? [] : [from, to ?? from]))
  const isScattered = items.length > 1 && items.some(({ kind }) => kind === 'recall')
  return places.length === 0 || isScattered ? null : { from: Math.min(...places), to: Math.max(...places) }
}

/** From where to where, as it is read. */
export function spanWords({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }): string {
  if (from === undefined) return ''
  return to === undefined || to === from ? String(from) : `${from}–${to}`
}

export const KNOWN_WORDS: Readonly<Record<CachedShare, string>> = { all: 'cached', some: 'partly cached', none: 'not cached' }
