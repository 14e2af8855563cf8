// A log that notes what a node asks about the sessions of others.
import assert from 'node:assert/strict'
import type { Log } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'

export type CountedLooks = {
  readonly log: Log
  /** The sessions of each question so far, in the order of their ids. */
  readonly asked: readonly (readonly SessionId[])[]
  /** Resolves as soon as it is so; asked after every question. */
  readonly until: (isSo: () => boolean) => Promise<void>
}

export function countedLooks(log: Log): CountedLooks {
  const { nodes } = log
  assert.ok(nodes !== undefined)
  const asked: (readonly SessionId[])[] = []
  const waiting = new Set<() => void>()
  const looks: typeof nodes.watch.looks = ids => {
    asked.push(ids.toSorted())
    for (const look of waiting) look()
    return nodes.watch.looks(ids)
  }
  return {
    log: { ...log, nodes: { ...nodes, watch: { ...nodes.watch, looks } } },
    asked,
    until: isSo =>
      new Promise(resolve => {
        const look = (): void => {
          if (!isSo()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
