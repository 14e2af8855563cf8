/** Keeps the recall index of each session in memory, with the session. */

import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { NO_SESSION } from '../faults.ts'
import type { PostingRow, RecallBlock, RecallStore } from '../ports.ts'
import { assertRecallChange, excludedTargets, postingsInColumns } from '../recall-rules.ts'
import type { RecallRows, Row } from './memory-rows.ts'
import { newestFirst } from './memory-search.ts'

export function memoryRecall(sessions: ReadonlyMap<SessionId, Row>): RecallStore {
  const withRow = async <Value>(id: SessionId, use: (row: Row) => Value): Promise<Result<Value, Fault>> => {
    const row = sessions.get(id)
    return row === undefined ? err(NO_SESSION) : ok(use(row))
  }
  return {
    state: id => withRow(id, ({ recall }) => recall?.state),
    postings: (id, terms, from = 0) =>
      withRow(id, ({ recall }) =>
        [...new Set(terms)].sort(byBytes).flatMap(term => {
          const segments = [...(recall?.postings.get(term)?.values() ?? [])].filter(({ segment }) => segment >= from)
          return segments.sort((a, b) => a.segment - b.segment).map(copyOf)
        }),
      ),
    blocks: (id, kind, numbers) =>
      withRow(id, ({ recall }) => numbers.flatMap(number => recall?.blocks.get(placeOf({ kind, number })) ?? []).map(copyOf)),
    states: async ids =>
      ok(
        new Map(
          ids.flatMap(id => {
            const state = sessions.get(id)?.recall?.state
            return state === undefined ? [] : [[id, state]]
          }),
        ),
      ),
    allPostings: async ids =>
      ok(
        postingsInColumns(
          ids.flatMap((id, session) =>
            [...(sessions.get(id)?.recall?.postings.values() ?? [])]
              .flatMap(segments => [...segments.values()])
              .sort((a, b) => a.segment - b.segment)
              .map(row => ({ session, ...row })),
          ),
        ),
      ),
    blocksOf: async (kind, wanted) =>
      ok(
        wanted.map(({ id, numbers }) =>
          numbers.flatMap(number => sessions.get(id)?.recall?.blocks.get(placeOf({ kind, number })) ?? []).map(copyOf),
        ),
      ),
    excluded: async ids =>
      ok(
        new Map(
          ids.flatMap(id => {
            const marks = (sessions.get(id)?.events ?? []).flatMap(event => (event.type === 'message.marked' ? [event] : []))
            const excluded = excludedTargets(marks)
            return excluded.length === 0 ? [] : [[id, excluded]]
          }),
        ),
      ),
    write: (id, change) =>
      withRow(id, row => {
        assertRecallChange(change)
        const { state, postings = [], blocks = [] } = change
        const kept: RecallRows = {
          state: structuredClone(state),
          postings: row.recall?.postings ?? new Map(),
          blocks: row.recall?.blocks ?? new Map(),
        }
        for (const posting of postings) {
          const segments = kept.postings.get(posting.term) ?? new Map<number, PostingRow>()
          kept.postings.set(posting.term, segments.set(posting.segment, copyOf(posting)))
        }
        for (const { body, ...block } of blocks) {
          if (body === null) kept.blocks.delete(placeOf(block))
          else kept.blocks.set(placeOf(block), copyOf({ ...block, body }))
        }
        row.recall = kept
        return null
      }),
    clear: id =>
      withRow(id, row => {
        row.recall = undefined
        return null
      }),
    behind: async ({ version, vectors }, limit) => {
      const isBehind = ({ standing, recall }: Row): boolean =>
        standing.head > (recall?.state.indexedThrough ?? 0) ||
        (recall !== undefined && (recall.state.version !== version || recall.state.vectors !== vectors))
      const behind = [...sessions.values()].filter(isBehind).map(({ session }) => session)
      return ok(
        behind
          .sort(newestFirst)
          .slice(0, limit)
          .map(({ id }) => id),
      )
    },
    size: async () => {
      const indexes = [...sessions.values()].flatMap(({ recall }) => recall ?? [])
      return ok({
        sessions: indexes.length,
        messages: sumOf(indexes, ({ state }) => state.messages),
        bytes: sumOf(indexes, bytesOf),
      })
    },
  }
}

const placeOf = ({ kind, number }: Omit<RecallBlock, 'body'>): string => `${kind} ${number}`

/** The bytes of a row belong to the store: neither a writer nor a reader can change them later. */
const copyOf = <Bytes extends { readonly body: Uint8Array }>(row: Bytes): Bytes => ({ ...row, body: Uint8Array.from(row.body) })

/** The order of every other store. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function bytesOf({ postings, blocks }: RecallRows): number {
  const rows = [...postings.values()].flatMap(segments => [...segments.values()])
  return (
    sumOf(rows, ({ term, body }) => Buffer.byteLength(term) + body.byteLength) +
    sumOf([...blocks.values()], ({ body }) => body.byteLength)
  )
}

const sumOf = <Item>(items: readonly Item[], number: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + number(item), 0)
