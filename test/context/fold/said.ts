import type { FoldMessage } from '../../../src/context/fold/fold-messages.ts'

/** Messages of two speakers in turn, a person first; or of the one that is named before each text. */
export const talk = (...texts: readonly string[]): readonly FoldMessage[] =>
  texts.map((words, index) => ({
    seq: index + 1,
    speaker: index % 2 === 0 ? 'User' : 'Assistant',
    isPerson: index % 2 === 0,
    words,
    material: [],
  }))

/** A message of a voice that brought a result. */
export const withResult = (text: string, seq = 1): FoldMessage => ({
  seq,
  speaker: 'Assistant',
  isPerson: false,
  words: '',
  material: [{ name: 'read', text }],
})
