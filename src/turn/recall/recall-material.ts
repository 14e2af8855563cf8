/** What assembly may know of the past beyond what it reads: looked up for a new message, or named by a receipt. */
import { bestFirst, quoteTokens } from '../../context/recall/choose.ts'
import type { EventLog } from '../../log/ports.ts'
import { isExcluding, type Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Material } from '../../model/plan.ts'
import type { Candidate, RecallFound, RecallMaterial, RecallQuote } from '../../model/recall.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { RecallQuery } from './look-up/look-up.ts'

/** What is looked up for the message that a turn answers; undefined if that message was not read. */
export function queryFor(
  { events, turn, voice, voices, marksThrough }: Pick<Material, 'events' | 'turn' | 'voice' | 'voices' | 'marksThrough'>,
  { view }: Pick<Policy, 'view'>,
): RecallQuery | undefined {
  const cause = events.find(event => event.seq === turn.cause)
  if (cause?.type !== 'message.received') return undefined
  return {
    ...{ text: cause.text.slice(0, MOST_ASKED), at: cause.at, through: turn.cause - 1, voice, view, names: voices },
    excluded: excludedIn(events, marksThrough),
  }
}

/** So many characters of a message are looked up: a pasted document is no question. */
const MOST_ASKED = 4000

function excludedIn(events: readonly Recorded[], through: number): readonly number[] {
  const excluded = new Set<number>()
  for (const event of events) {
    if (event.type !== 'message.marked' || event.seq > through) continue
    if (isExcluding(event.mark)) excluded.add(event.target)
    else excluded.delete(event.target)
  }
  return [...excluded]
}

/** What was read for quotes: events of the session, and those of other chats, each with its own session. */
export type ReadCandidates = Pick<RecallMaterial, 'events' | 'elsewhere'>

/**
 * The messages that may be quoted within so many tokens, best first; those that were read already are not read again. Later steps
 * of a turn read less of the past, so they are among them all the same.
 */
export async function readCandidates(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  { candidates }: RecallFound,
  known: readonly Recorded[],
  tokens: number,
): Promise<Result<ReadCandidates, Fault>> {
  const read = new Map(known.map(event => [event.seq, event]))
  const there: Recorded[] = []
  const wanted: Candidate[] = []
  let left = tokens * SPARE
  for (const candidate of bestFirst(candidates)) {
    if (candidate.chat === undefined && candidate.seqs.every(seq => read.has(seq))) {
      there.push(...candidate.seqs.flatMap(seq => read.get(seq) ?? []))
    } else if (left > 0) {
      wanted.push(candidate)
      left -= quoteTokens(candidate)
    }
  }
  const more = await readQuoted(log, id, wanted)
  return more.ok ? ok({ ...more.value, events: [...there, ...more.value.events] }) : more
}

/** Some candidates turn out to be shown anyway, or not to fit. */
const SPARE = 1.5

/** The events of some messages, chat by chat. Of a chat that is gone nothing is read. */
async function readQuoted(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  quotes: readonly Pick<RecallQuote, 'seqs' | 'chat'>[],
): Promise<Result<ReadCandidates, Fault>> {
  const chats = [...Map.groupBy(quotes, ({ chat }) => chat?.session)]
  const found = await Promise.all(
    chats.map(([session, own]) =>
      log.read(session ?? id, { seqs: [...new Set(own.flatMap(({ seqs }) => seqs))].sort((a, b) => a - b) }),
    ),
  )
  const events: Recorded[] = []
  const elsewhere: Recorded[] = []
  for (const [index, read] of found.entries()) {
    const session = chats[index]?.[0]
    if (read.ok) (session === undefined ? events : elsewhere).push(...read.value)
    else if (session === undefined || read.fault.kind !== 'not-found') return read
  }
  return ok({ events, ...(elsewhere.length === 0 ? {} : { elsewhere }) })
}

/** What a recorded request quoted, with the events of its quotes; undefined if its policy did not recall. */
export async function recallAgain(
  log: Pick<EventLog, 'read'>,
  id: SessionId,
  { recall, window, inputs }: Receipt,
): Promise<Result<RecallMaterial | undefined, Fault>> {
  if (recall === undefined) return ok(undefined)
  const read = await readQuoted(log, id, [...(window.recalled ?? []), ...(inputs.last?.recalled ?? [])])
  return read.ok ? ok({ session: id, chosen: chosenBy({ recall, window }), ...read.value }) : read
}

const chosenBy = ({ recall, window }: Required<Pick<Receipt, 'recall' | 'window'>>): NonNullable<RecallMaterial['chosen']> => ({
  ...(window.recalled === undefined ? {} : { recalled: window.recalled }),
  ...(window.shows === undefined ? {} : { shows: window.shows }),
  receipt: recall,
})

/** What the later steps of a turn keep of what was recalled for its first one. */
export const recallAfter = (
  before: RecallMaterial | undefined,
  { recall, window }: Pick<Receipt, 'recall' | 'window'>,
): Pick<Material, 'recall'> =>
  before === undefined || recall === undefined
    ? {}
    : {
        recall: {
          ...{ session: before.session, events: before.events, chosen: chosenBy({ recall, window }) },
          ...(before.elsewhere === undefined ? {} : { elsewhere: before.elsewhere }),
        },
      }
