/** Finds what is remembered beyond one session among the sessions in memory. */

import type { Mark } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { NO_SESSION } from '../faults.ts'
import {
  countingPins,
  isSource,
  memoryPage,
  newestMemoryFirst,
  readMemoryCursor,
  sourceOf,
  unreplacedOr,
} from '../memory-rules.ts'
import type { Folded, KeptFold, KeptPin, MemoryStore } from '../ports.ts'
import type { Row } from './memory-rows.ts'
import { newestFirst } from './memory-search.ts'

export function memoryKept(rows: ReadonlyMap<SessionId, Row>): MemoryStore {
  const sourcesFor = (asking: Row): readonly Row[] => [...rows.values()].filter(row => row !== asking && isSource(row.session))
  return {
    list: async ({ cursor, limit }) => {
      const start = cursor === undefined ? ok(undefined) : readMemoryCursor(cursor)
      if (!start.ok) return start
      const after = start.value
      const found = [...rows.values()]
        .flatMap<KeptPin | KeptFold>(row => [...pinsOf(row), ...foldsOf(row)])
        .sort(newestMemoryFirst)
        .filter(item => after === undefined || newestMemoryFirst(after, item) < 0)
      return ok(memoryPage(found, limit))
    },
    pinsFor: async (id, limit) => {
      const asking = rows.get(id)
      if (asking === undefined) return err(NO_SESSION)
      const { project } = asking.session
      const reaching = sourcesFor(asking).flatMap(row =>
        pinsOf(row)
          .filter(
            ({ reach }) => reach === 'everywhere' || (reach === 'project' && project !== null && row.session.project === project),
          )
          .map(pin => ({ ...pin, createdAt: row.session.createdAt })),
      )
      const marks = marksOf(asking)
      const known = {
        parentOf: (session: SessionId) => rows.get(session)?.session.parent,
        markOf: (target: number) => marks.get(target)?.mark,
      }
      return ok(countingPins(reaching, id, known, limit))
    },
    sources: async (id, from, limit) => {
      const asking = rows.get(id)
      if (asking === undefined) return err(NO_SESSION)
      const { project } = asking.session
      const found = sourcesFor(asking)
        .map(({ session }) => session)
        .filter(session => from === 'everywhere' || (project !== null && session.project === project))
      return ok(found.sort(newestFirst).slice(0, limit).map(sourceOf))
    },
  }
}

/** The last mark of each message. */
function marksOf({ events, places }: Row): ReadonlyMap<number, KeptPin & { readonly mark: Mark | null }> {
  const marks = new Map<number, KeptPin & { readonly mark: Mark | null }>()
  for (const seq of places.ofType.get('message.marked') ?? []) {
    const event = events[seq - 1]
    if (event?.type !== 'message.marked') continue
    const { session, target, mark, reach = 'session', at } = event
    marks.set(target, { kind: 'pin', session, seq, target, reach, at, mark })
  }
  return marks
}

const pinsOf = (row: Row): readonly KeptPin[] =>
  [...marksOf(row).values()].flatMap(({ mark, ...pin }) => (mark === 'pin' ? [pin] : []))

function foldsOf({ events, places }: Row): readonly KeptFold[] {
  const folds = (places.ofType.get('history.folded') ?? []).map(seq => events[seq - 1] as Folded)
  return unreplacedOr(folds, Number.POSITIVE_INFINITY).flatMap(({ session, seq, at, text }) =>
    text.trim() === '' ? [] : [{ kind: 'fold', session, seq, at }],
  )
}
