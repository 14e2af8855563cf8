// Turns the entries of a view into transcript rows.
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import type { Boundary, LineEntry, MessageEntry, ReplyEntry, ViewEntry } from '../view/view.ts'

/** One thing of the transcript that is drawn, measured and scrolled to by itself. `seq` is where it begins in the log. */
export type TranscriptRowData =
  | { readonly kind: 'message'; readonly key: string; readonly seq: number; readonly entry: MessageEntry }
  | { readonly kind: 'reply'; readonly key: string; readonly seq: number; readonly entry: ReplyEntry }
  | { readonly kind: 'line'; readonly key: string; readonly seq: number; readonly entry: LineEntry }
  /** What advisors said between two messages, with every attempt. */
  | { readonly kind: 'round'; readonly key: string; readonly seq: number; readonly replies: readonly ReplyEntry[] }

/** Entries as rows. An unchanged row is the same object as in `before`, so that React redraws only rows that grow. */
export function transcriptRows(
  entries: readonly ViewEntry[],
  isCouncil: boolean,
  before: readonly TranscriptRowData[] = [],
): readonly TranscriptRowData[] {
  const rows: TranscriptRowData[] = []
  const add = (row: TranscriptRowData): void => {
    const known = before[rows.length]
    rows.push(known !== undefined && isSame(known, row) ? known : row)
  }
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at]
    if (entry?.kind !== 'reply') {
      if (entry !== undefined) add(single(entry))
      at += 1
      continue
    }
    const end = endOfReplies(entries, at)
    for (const row of answers(entries.slice(at, end) as ReplyEntry[], isCouncil)) add(row)
    at = end
  }
  return rows.length === before.length && rows.every((row, index) => row === before[index]) ? before : rows
}

/** Where the next thing begins that is no reply. */
function endOfReplies(entries: readonly ViewEntry[], from: number): number {
  let end = from
  while (entries[end]?.kind === 'reply') end += 1
  return end
}

/** The advisors first, as one row; then the synthesis. In a conversation with one voice each reply is a row. */
function answers(replies: readonly ReplyEntry[], isCouncil: boolean): readonly TranscriptRowData[] {
  const advisors = replies.filter(({ voice }) => !isHouseVoice(voice))
  const isRound = advisors.length > 0 && (isCouncil || advisors.some(({ voice }) => voice !== advisors[0]?.voice))
  if (!isRound) return replies.map(single)
  const [first] = advisors
  const round: TranscriptRowData = { kind: 'round', key: `round ${first?.seq}`, seq: first?.seq ?? 0, replies: advisors }
  return [round, ...replies.filter(({ voice }) => isHouseVoice(voice)).map(single)]
}

function single(entry: ViewEntry): TranscriptRowData {
  const { seq } = entry
  // Two voices may go on at one moment, each in a stretch of its own.
  if (entry.kind === 'reply') return { kind: 'reply', key: `reply ${seq} ${entry.turn}`, seq, entry }
  return entry.kind === 'message'
    ? { kind: 'message', key: `message ${seq}`, seq, entry }
    : { kind: 'line', key: `line ${seq}`, seq, entry }
}

function isSame(one: TranscriptRowData, other: TranscriptRowData): boolean {
  if (one.key !== other.key) return false
  if (one.kind !== 'round' || other.kind !== 'round') return 'entry' in one && 'entry' in other && one.entry === other.entry
  return one.replies.length === other.replies.length && one.replies.every((reply, index) => reply === other.replies[index])
}

const entriesIn = (row: TranscriptRowData): readonly ViewEntry[] => (row.kind === 'round' ? row.replies : [row.entry])

/** The row with an event: by the place of a message or a reply, else the last row that had begun by then; -1 is none. */
export function transcriptRowAt(rows: readonly TranscriptRowData[], seq: number): number {
  const exact = rows.findLastIndex(row =>
    entriesIn(row).some(entry => entry.seq === seq || (entry.kind === 'reply' && entry.steps.some(step => step.seq === seq))),
  )
  return exact === -1 ? rows.findLastIndex(row => row.seq <= seq) : exact
}

/** The row above which the newest request sent nothing, or only head and pins; -1 if nothing is above it. */
export function boundaryRow(rows: readonly TranscriptRowData[], boundary: Pick<Boundary, 'begins'> | null): number {
  const row = boundary === null ? -1 : transcriptRowAt(rows, boundary.begins)
  return row > 0 ? row : -1
}

/** The row of a turn, or of its last stretch if there are several; -1 is none. */
export const rowOfTurn = (rows: readonly TranscriptRowData[], turn: string): number =>
  rows.findLastIndex(row => entriesIn(row).some(entry => entry.kind === 'reply' && entry.turn === turn))

/** How many replies are complete, with their receipt. */
export const countReplies = (entries: readonly ViewEntry[]): number =>
  entries.reduce((sum, entry) => sum + (isWhole(entry) ? 1 : 0), 0)

const isWhole = (entry: ViewEntry): boolean =>
  entry.kind === 'reply' && entry.end !== null && entry.steps.some(({ receipt }) => receipt !== null)
