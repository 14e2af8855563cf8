/** A recall index in memory over one that is only read: what is written stays in this process. */
import type { PostingRow, RecallBlock, RecallState, RecallStore } from '../../log/ports.ts'
import { postingsInColumns, rowsInColumns } from '../../log/recall-rules.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'

type Layer = {
  state: RecallState
  /** Nothing of the index below counts any more. */
  readonly isWhole: boolean
  readonly postings: Map<string, Map<number, PostingRow>>
  /** Null for a block that was removed. */
  readonly blocks: Map<string, RecallBlock | null>
}

/** Rows over those of another store, or over none at all. */
export function layeredIndex(base?: RecallStore): RecallStore {
  const layers = new Map<SessionId, Layer>()
  const cleared = new Set<SessionId>()
  const below = (id: SessionId): RecallStore | undefined =>
    cleared.has(id) || layers.get(id)?.isWhole === true ? undefined : base

  const state: RecallStore['state'] = async id => {
    const own = layers.get(id)?.state
    const read = await (below(id)?.state(id) ?? ok(undefined))
    if (!read.ok || own === undefined) return read
    const kept = read.value
    // The process that keeps the index has gone further meanwhile: its rows are believed again.
    const isNewer = kept?.version === own.version && kept.vectors === own.vectors && kept.indexedThrough >= own.indexedThrough
    if (!isNewer) return ok(own)
    layers.delete(id)
    return ok(kept)
  }

  const blocks: RecallStore['blocks'] = async (id, kind, numbers) => {
    const own = layers.get(id)?.blocks
    const missing = numbers.filter(number => own?.has(placeOf(kind, number)) !== true)
    const read = await (missing.length === 0 ? undefined : below(id)?.blocks(id, kind, missing))
    if (read?.ok === false) return read
    const kept = new Map(read?.value.map(block => [block.number, block]))
    return ok(numbers.flatMap(number => own?.get(placeOf(kind, number)) ?? kept.get(number) ?? []))
  }

  /** Of a session that is gone there is nothing. */
  const orNothing = async <Value>(read: Promise<Result<Value, Fault>>, nothing: Value): Promise<Result<Value, Fault>> => {
    const found = await read
    return found.ok || found.fault.kind !== 'not-found' ? found : ok(nothing)
  }

  /** Each session's part of what is asked of many; the first trouble is that of all. */
  const ofEach = async <Item, Value>(
    items: readonly Item[],
    read: (item: Item, index: number) => Promise<Result<Value, Fault>>,
  ): Promise<Result<readonly Value[], Fault>> => {
    const found = await Promise.all(items.map(read))
    const trouble = found.find(each => !each.ok)
    return trouble !== undefined && !trouble.ok ? trouble : ok(found.flatMap(each => (each.ok ? [each.value] : [])))
  }

  return {
    state,
    postings: async (id, terms, from = 0) => {
      const read = await (below(id)?.postings(id, terms, from) ?? ok([]))
      const own = layers.get(id)?.postings
      if (!read.ok || own === undefined) return read
      const rows = new Map(read.value.map(row => [`${row.segment} ${row.term}`, row]))
      for (const row of terms.flatMap(term => [...(own.get(term)?.values() ?? [])]))
        if (row.segment >= from) rows.set(`${row.segment} ${row.term}`, row)
      return ok([...rows.values()].sort((a, b) => byBytes(a.term, b.term) || a.segment - b.segment))
    },
    blocks,
    states: async ids => {
      const found = await ofEach(ids, id => orNothing(state(id), undefined))
      return found.ok
        ? ok(new Map(found.value.flatMap((each, index) => (each === undefined ? [] : [[ids[index] as SessionId, each]]))))
        : found
    },
    allPostings: async ids => {
      const kept = await (base?.allPostings(ids.map(id => (below(id) === undefined ? NO_ID : id))) ?? ok(undefined))
      if (!kept.ok) return kept
      const layered = ids.flatMap((id, session) =>
        [...(layers.get(id)?.postings.values() ?? [])].flatMap(segments =>
          [...segments.values()].map(row => ({ session, ...row })),
        ),
      )
      if (kept.value !== undefined && layered.length === 0) return ok(kept.value)
      const rows = new Map(
        [...(kept.value === undefined ? [] : rowsInColumns(kept.value)), ...layered].map(row => [
          `${row.session} ${row.segment} ${row.term}`,
          row,
        ]),
      )
      return ok(postingsInColumns([...rows.values()].sort((a, b) => a.session - b.session || a.segment - b.segment)))
    },
    blocksOf: (kind, wanted) => ofEach(wanted, ({ id, numbers }) => orNothing(blocks(id, kind, numbers), [])),
    excluded: async ids => base?.excluded(ids) ?? ok(new Map()),
    write: async (id, { state: next, postings = [], blocks: changed = [] }) => {
      const layer = layers.get(id) ?? { state: next, isWhole: cleared.has(id), postings: new Map(), blocks: new Map() }
      layer.state = next
      for (const row of postings) {
        const segments = layer.postings.get(row.term) ?? new Map<number, PostingRow>()
        layer.postings.set(row.term, segments.set(row.segment, row))
      }
      for (const { kind, number, body } of changed)
        layer.blocks.set(placeOf(kind, number), body === null ? null : { kind, number, body })
      layers.set(id, layer)
      return ok(null)
    },
    clear: async id => {
      layers.delete(id)
      cleared.add(id)
      return ok(null)
    },
    behind: async (made, limit) => (base === undefined ? ok([]) : base.behind(made, limit)),
    size: async () => (base === undefined ? ok({ sessions: 0, messages: 0, bytes: 0 }) : base.size()),
  }
}

/** No session is called so: it keeps the place of one that is not asked for below. */
const NO_ID = '' as SessionId

const placeOf = (kind: RecallBlock['kind'], number: number): string => `${kind} ${number}`

/** The order of every store. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
