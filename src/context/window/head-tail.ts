/** Window kind `head-tail`: the whole of a short conversation; of a long one the first messages, a note, and the last ones. */
import type { Window } from '../../model/settings/policy.ts'
import type { Note } from '../stages/draft.ts'
import {
  EVERYTHING,
  EXCERPTS,
  type Fate,
  formatNumber,
  hearableMessages,
  LEAST_READ,
  NOT_FOR_TRANSCRIPTS,
  repeated,
  type WindowKind,
  withSpare,
} from './window-kind.ts'

type HeadTail = Extract<Window, { kind: 'head-tail' }>

export const headTail: WindowKind<HeadTail> = window => ({
  whyRefused: ({ render }) => {
    if (render === 'transcript') return NOT_FOR_TRANSCRIPTS
    const needed = window.recent + window.head + 1
    if (window.recent < 1) return 'window.recent must be at least 1: the new message'
    return needed > window.max ? `window: recent + head + 1 for the note = ${needed} is more than max ${window.max}` : undefined
  },
  grows: null,
  read: ({ cause, bounds: { limit }, enough }) => ({
    head: { messages: withSpare(window.head), least: window.head, tokens: enough(limit) },
    from: { tokens: enough(limit) * EXCERPTS, before: cause, messages: withSpare(window.max) },
    least: LEAST_READ,
  }),
  choose: (units, { material }) => {
    const total = units.length + hearableMessages(material.gaps) + 1
    if (total <= window.max) return { ...EVERYTHING, headIfCut: window.head, note: sessionNote }
    return {
      head: window.head,
      recent: Math.max(window.head, units.length - (window.recent - 1)),
      note: sessionNote,
      noteOver: window.noteOver,
    }
  },
  smaller: () => window,
  asTranscript: () => window,
  words: {
    short: `up to ${formatNumber(window.max)} messages, then the first ${formatNumber(window.head)} and the last ${formatNumber(window.recent)}`,
    sentence: sentenceOf(window),
    nearlyFull:
      'this policy sends the first and the last messages; if they grow too long, the oldest will be left out. Pin what must stay.',
  },
  picture: past => pictureOf(window, past),
})

/** The note in the voice's own words. The stage makes it a person's if no message comes before it. */
export const sessionNote = (omitted: number): Note => ({
  role: 'assistant',
  text: `[Session context: ${omitted} earlier messages omitted]`,
})

function sentenceOf({ max, head, recent, noteOver }: HeadTail): string {
  const all = max === 1 ? 'one message' : `${formatNumber(max)} messages`
  const first = head === 0 ? '' : `the ${head === 1 ? 'first message' : `first ${formatNumber(head)}`} and `
  return `Sends everything up to ${all}; in a longer conversation ${first}the last ${formatNumber(recent)}, with a note between where more than ${formatNumber(noteOver)} are left out.`
}

function pictureOf({ max, head, recent, noteOver }: HeadTail, past: number): readonly Fate[] {
  const left = past - head - recent
  if (past <= max || left <= 0) return repeated('kept', past)
  const note: readonly Fate[] = left > noteOver ? ['note'] : []
  return [...repeated('kept', head), ...note, ...repeated('out', left - note.length), ...repeated('kept', recent)]
}
