/** The summaries of a conversation as the page shows them: those that count, those being made, and where each belongs. */
import type { Event } from '../../../src/model/event.ts'
import type { FoldMaker, FoldRange, HistoryFolded } from '../../../src/model/fold.ts'
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import type { ViewEntry } from './view.ts'

/** A summary that counts: neither replaced nor removed. */
export type ShownFold = Pick<HistoryFolded, 'from' | 'to' | 'text' | 'voice' | 'turn' | 'messages' | 'folded' | 'left'> & {
  readonly seq: number
  readonly at: string
  readonly by: FoldMaker | 'person'
  /** The model that wrote it, where the conversation says so. */
  readonly model?: string
}

/** A summary that is being made, or could not be. */
export type FoldingView = Pick<FoldRange, 'from' | 'to' | 'voice'> & {
  readonly turn: string
  readonly model?: string
  /** Why it could not be made; null while it is being made. */
  readonly failed: string | null
}

/** All summaries of a session; `known` are the stretches of those, too, that were replaced or removed. */
export type FoldsView = {
  readonly made: readonly ShownFold[]
  readonly making: readonly FoldingView[]
  readonly known: readonly KnownStretch[]
}

/** Which messages the summary at a seq was about. */
export type KnownStretch = Pick<ShownFold, 'seq' | 'from' | 'to' | 'messages'>

export const NO_FOLDS: FoldsView = { made: [], making: [], known: [] }

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

/** After a summary was written, edited, made anew or removed: what it replaces goes, and so does a failed try for its stretch. */
export function withFold({ made, making, known }: FoldsView, event: Of<'history.folded'>): FoldsView {
  const { seq, at, from, to, text, by, voice, turn, messages, folded, left, replaces } = event
  const model = turn === undefined ? undefined : making.find(other => other.turn === turn)?.model
  const others = made.filter(
    other => other.voice !== voice || (other.seq !== replaces && !(from <= other.from && other.to <= to)),
  )
  const rest = making.filter(other => other.turn !== turn && (other.failed === null || !overlaps(other, event)))
  if (text.trim() === '') return { made: others, making: rest, known }
  const fold: ShownFold = {
    ...{ seq, at, from, to, text, by },
    ...(voice === undefined ? {} : { voice }),
    ...(turn === undefined ? {} : { turn }),
    ...(messages === undefined ? {} : { messages }),
    ...(folded === undefined ? {} : { folded }),
    ...(left === undefined || left.length === 0 ? {} : { left }),
    ...(model === undefined ? {} : { model }),
  }
  return { made: [...others, fold], making: rest, known: [...known, fold] }
}

/** A model is being asked for a summary. What failed before for the same stretch is of no interest any more. */
export function foldBegan(folds: FoldsView, { turn, fold }: Of<'turn.started'>): FoldsView {
  if (fold === undefined) return folds
  const { from, to, voice } = fold
  const others = folds.making.filter(other => other.failed === null || !overlaps(other, fold))
  const begun: FoldingView = { turn, from, to, failed: null, ...(voice === undefined ? {} : { voice }) }
  return { ...folds, making: [...others, begun] }
}

/** Which model is asked. */
export const foldPlanned = (folds: FoldsView, { turn, receipt: { model } }: Of<'context.planned'>): FoldsView =>
  folds.making.some(other => other.turn === turn)
    ? { ...folds, making: folds.making.map(other => (other.turn === turn ? { ...other, model } : other)) }
    : folds

/** One that failed stays to say so; one that made way for an answer, or was interrupted, is begun again by itself. */
export function foldEnded(folds: FoldsView, { turn, reason, fault }: Of<'turn.ended'>): FoldsView {
  const ended = folds.making.find(other => other.turn === turn)
  if (ended === undefined) return folds
  const others = folds.making.filter(other => other !== ended)
  if (reason !== 'failed' && reason !== 'limit') return { ...folds, making: others }
  return { ...folds, making: [...others, { ...ended, failed: fault?.message ?? '' }] }
}

type Stretch = Pick<FoldRange, 'from' | 'to' | 'voice'>

const overlaps = (one: Stretch, other: Stretch): boolean =>
  one.voice === other.voice && one.from <= other.to && other.from <= one.to

/** Which messages a summary is about, as a person counts them from the first one. */
export type FoldSpan = { readonly first: number; readonly last: number }

/** The spans of several stretches in one pass over the conversation. */
export function foldSpans(entries: readonly ViewEntry[], stretches: readonly CountedStretch[]): readonly FoldSpan[] {
  const seqs = messageSeqs(entries)
  return stretches.map(({ from, to, messages }) => {
    const first = before(seqs, from) + 1
    const last = messages === undefined ? before(seqs, to + 1) : first + messages - 1
    return { first, last: Math.max(first, last) }
  })
}

type CountedStretch = Pick<ShownFold, 'from' | 'to' | 'messages'>

/** Where each message begins: a person's, and each answer once. */
function messageSeqs(entries: readonly ViewEntry[]): readonly number[] {
  const turns = new Set<string>()
  const seqs: number[] = []
  for (const entry of entries) {
    if (entry.kind === 'message') seqs.push(entry.seq)
    if (entry.kind !== 'reply' || isHouseVoice(entry.voice) || turns.has(entry.turn)) continue
    turns.add(entry.turn)
    seqs.push(entry.seq)
  }
  return seqs
}

const before = (seqs: readonly number[], seq: number): number => seqs.filter(each => each < seq).length
