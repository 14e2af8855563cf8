// Builds every recorded request again in both stores of a copy, and compares what comes of it.
import { openEngine, type Verification } from '../../../engine.ts'
import { type HouseSource, sessionPages } from '../../../log/copy/open-houses.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import { type CopyStores, databaseOf } from './stores.ts'

export type ReceiptTally = {
  readonly identical: number
  readonly notComparable: number
  /** Requests that neither store gives again: it was so before the copy. */
  readonly different: number
  readonly first: string | null
}

/** A person waits for no answer here, so more time may go into a long history. */
const READING_MS = 30_000

type Watch = { readonly abort: AbortSignal; readonly onVerified: (done: number) => void }

/** The first request that one store gives and the other does not is a fault. */
export async function verifyReceipts(
  source: HouseSource,
  { from, to }: Pick<CopyStores, 'from' | 'to'>,
  { workspace, environment }: { readonly workspace: Workspace; readonly environment: Environment },
  { abort, onVerified }: Watch,
): Promise<Result<ReceiptTally, Fault>> {
  const options = { ...engineOptions(workspace, environment), limits: { historyMs: READING_MS }, readOnly: true, isForCopy: true }
  const here = await openEngine(databaseOf(from), options)
  if (!here.ok) return here
  const there = await openEngine(databaseOf(to), options)
  if (!there.ok) {
    await here.value.close(0)
    return there
  }
  let tally: ReceiptTally = { identical: 0, notComparable: 0, different: 0, first: null }
  try {
    for await (const page of sessionPages(source)) {
      if (!page.ok) return page
      for (const { id } of page.value) {
        if (abort.aborted) return err(fault('cancelled', 'stopped'))
        const copies = there.value.verify(id)[Symbol.asyncIterator]()
        for await (const own of here.value.verify(id)) {
          const { value: copy } = await copies.next()
          if (copy?.turn !== own.turn || copy.step !== own.step || copy.verdict !== own.verdict)
            return err(
              fault('conflict', `${placed(id, own)} is ${own.verdict} here and ${copy?.verdict ?? 'missing'} in the copy`),
            )
          tally = counted(tally, id, own)
          onVerified(tally.identical + tally.notComparable + tally.different)
        }
        const more = await copies.next()
        if (more.done !== true) return err(fault('conflict', `${placed(id, more.value)} is only in the copy`))
      }
    }
    return ok(tally)
  } finally {
    await here.value.close(0)
    await there.value.close(0)
  }
}

const placed = (id: SessionId, { turn, step }: Pick<Verification, 'turn' | 'step'>): string => `${id}, turn ${turn}, step ${step}`

function counted(tally: ReceiptTally, id: SessionId, verification: Verification): ReceiptTally {
  switch (verification.verdict) {
    case 'identical':
      return { ...tally, identical: tally.identical + 1 }
    case 'not-comparable':
      return { ...tally, notComparable: tally.notComparable + 1 }
    case 'different':
      return {
        ...tally,
        different: tally.different + 1,
        first: tally.first ?? `${placed(id, verification)}: ${verification.detail ?? ''}`,
      }
  }
}
