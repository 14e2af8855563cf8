/** Makes vectors of whole messages with the optional encoder, a few at a time, behind the index itself. */
import { messageTexts } from '../../../context/recall/message-texts.ts'
import type { RecallState, RecallStore } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Encoder } from '../encoder.ts'
import { blockOf, decodeBlock, type IndexBlock, type IndexedMessage } from './blocks.ts'
import type { EventsAt } from './fill-index.ts'

/** Whether all indexed messages have a vector now. */
export type EncodedIndex = { readonly isDone: boolean }

/** Encodes the messages of one block that have no vector of this encoder yet. */
export async function encodeMessages(
  rows: RecallStore,
  source: EventsAt,
  id: SessionId,
  encoder: Encoder,
): Promise<Result<EncodedIndex, Fault>> {
  const known = await rows.state(id)
  if (!known.ok) return known
  const state = known.value
  if (state === undefined || state.passages === 0) return ok({ isDone: true })
  const through = state.encoder?.model === encoder.model ? state.encoder.through : 0
  const next = await blockAfter(rows, id, state, through)
  if (!next.ok) return next
  if (next.value === undefined) return ok({ isDone: true })
  const { number, block } = next.value
  const messages = block.messages.filter(({ completed }) => completed <= state.indexedThrough)
  const texts = await firstTexts(source, id, messages)
  if (!texts.ok) return texts
  const vectors = await encoder.encode(texts.value)
  const body = new Uint8Array(messages.length * encoder.dimensions)
  for (const [index, vector] of vectors.entries())
    body.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.length), index * encoder.dimensions)
  const last = messages.at(-1)?.completed ?? through
  // A message that is being indexed meanwhile has changed the state: nothing else writes for this session now.
  const encoded: RecallState = { ...state, encoder: { model: encoder.model, through: last } }
  const written = await rows.write(id, { state: encoded, blocks: [{ kind: 'encoded', number, body }] })
  return written.ok ? ok({ isDone: number === blockOf(state.passages - 1) }) : written
}

type Found = { readonly number: number; readonly block: IndexBlock }

/** The first block with a message that was complete after a seq; undefined if there is none. */
async function blockAfter(
  rows: RecallStore,
  id: SessionId,
  { passages, indexedThrough }: RecallState,
  through: number,
): Promise<Result<Found | undefined, Fault>> {
  const read = async (number: number): Promise<Result<IndexBlock | undefined, Fault>> => {
    const found = await rows.blocks(id, 'messages', [number])
    if (!found.ok) return found
    const [row] = found.value
    return ok(row === undefined ? undefined : decodeBlock(row.body, number))
  }
  let [low, high] = [0, blockOf(passages - 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const block = await read(middle)
    if (!block.ok) return block
    if ((block.value?.before.completed ?? 0) <= through) low = middle
    else high = middle - 1
  }
  for (let number = low; number <= blockOf(passages - 1); number += 1) {
    const block = await read(number)
    if (!block.ok) return block
    const isNew = ({ completed }: IndexedMessage): boolean => completed > through && completed <= indexedThrough
    if (block.value?.messages.some(isNew) === true) return ok({ number, block: block.value })
  }
  return ok(undefined)
}

/** The beginning of each message: the encoder reads no more of it. */
async function firstTexts(
  source: EventsAt,
  id: SessionId,
  messages: readonly IndexedMessage[],
): Promise<Result<readonly string[], Fault>> {
  const events = await source.eventsAt(
    id,
    messages.flatMap(({ seqs }) => seqs),
  )
  if (!events.ok) return events
  const bySeq = new Map(events.value.map(event => [event.seq, event]))
  return ok(
    messages.map(
      ({ seqs }) => messageTexts(seqs.flatMap(seq => bySeq.get(seq) ?? [])).find(({ text }) => text.trim() !== '')?.text ?? '',
    ),
  )
}
