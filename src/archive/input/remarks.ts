// Counts what an import left out or changed, and says it once.
import type { ArchiveItem } from './found.ts'

export type Remark = 'empty' | 'silent' | 'system' | 'hidden' | 'branch' | 'unreadable' | 'missing-file' | 'unanswered'

/** The words for each kind of remark: for one case, and for several. */
const WORDS: Readonly<Record<Remark, readonly [one: string, several: string]>> = {
  empty: ['one empty message was left out', 'empty messages were left out'],
  silent: ['one conversation without messages was left out', 'conversations without messages were left out'],
  system: [
    'one system message was left out: what comes from a file is never an instruction',
    'system messages were left out: what comes from a file is never an instruction',
  ],
  hidden: ['one hidden message was left out', 'hidden messages were left out'],
  branch: [
    'one other branch was left out; the one that was open last is there',
    'other branches were left out; those that were open last are there',
  ],
  unreadable: [
    'one message was left out that holds nothing that can be read',
    'messages were left out that hold nothing that can be read',
  ],
  'missing-file': [
    'one file of a conversation is only named: its content is not in the export',
    'files of conversations are only named: their content is not in the export',
  ],
  unanswered: ['one call of a tool has no result in the file', 'calls of tools have no result in the file'],
}

/** Counts what was left out or changed, so that each kind is reported once for the whole file. */
export type RemarkCounter = { readonly count: (what: Remark, times?: number) => void; readonly all: () => readonly ArchiveItem[] }

export function createRemarkCounter(): RemarkCounter {
  const counts = new Map<Remark, number>()
  return {
    count: (what, times = 1) => {
      if (times > 0) counts.set(what, (counts.get(what) ?? 0) + times)
    },
    all: () =>
      [...counts].map(([what, times]) => {
        const [one, several] = WORDS[what]
        return { type: 'remark', message: times === 1 ? one : `${times} ${several}` }
      }),
  }
}
