/** Folds: a stretch of the past that a summary stands for once it has left the window. */
import type { TurnId } from './ids.ts'
import type { VoiceId } from './voice.ts'

/** How a policy folds: by a model or by literal sentences; `auto` asks a model where one can be asked without harm. */
export type FoldSetting = { readonly by: FoldMaker | 'auto'; readonly tokens: number | 'auto' }

/** What can make a fold: the model of the session, or the most telling sentences, taken literally. */
export type FoldMaker = 'model' | 'extract'

/** The stretch that a fold stands for, and why it is made. */
export type FoldRange = {
  /** The seq of the first message, and the last seq of the stretch; always whole turns. */
  readonly from: number
  readonly to: number
  /** Whose view of the conversation it is made from, where voices see different things; only that voice is sent the fold. */
  readonly voice?: VoiceId
  /** The fold that a person edits, makes anew or removes, or the first of those that a coarser one stands for. */
  readonly replaces?: number
  /** A person asked for it: the next request begins behind it. */
  readonly asked?: true
  /** The most tokens that it may have. */
  readonly tokens?: number
}

/** A stretch of the past that was folded. Without text, the fold that it replaces is removed. */
export type HistoryFolded = Omit<FoldRange, 'tokens'> & {
  readonly type: 'history.folded'
  readonly text: string
  /** Who wrote it: a model, literal sentences, or the person who edited it. */
  readonly by: FoldMaker | 'person'
  /** The turn in which a model was asked for it; absent if none was. */
  readonly turn?: TurnId
  /** Marks made after this seq were not known when its words were read; absent if all before the fold were. */
  readonly marksThrough?: number
  /** How many messages it stands for, and their tokens. */
  readonly messages?: number
  readonly folded?: number
  /** Sentences of the model that were left out, because they name what the stretch does not. */
  readonly left?: readonly string[]
}

/** What a fold stands for, in words. */
export const foldedWords = ({ from, to, text }: Pick<HistoryFolded, 'from' | 'to' | 'text'>): string =>
  text.trim() === '' ? `The summary of messages ${from}–${to} was removed` : `Messages ${from}–${to} summarized`

/** A fold with its place in the log. */
type PlacedFold = Pick<HistoryFolded, 'from' | 'to' | 'voice' | 'replaces'> & { readonly seq: number }

/** Whether a fold takes the place of an earlier one of the same view: it names it, or stands for all that it stood for. */
export const replacesFold = (later: PlacedFold, earlier: PlacedFold): boolean =>
  later.seq > earlier.seq &&
  later.voice === earlier.voice &&
  (later.replaces === earlier.seq || (later.from <= earlier.from && later.to >= earlier.to))
