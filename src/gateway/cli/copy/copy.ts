// The copy command.
import {
  type CopyWatch,
  compareHouses,
  copyHouse,
  type HouseSource,
  type HouseTarget,
  openHouse,
  openTarget,
} from '../../../log/copy/open-houses.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { readGatewayAddress, type Workspace } from '../../workspace/workspace.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { complain, MISUSED, print, printPage, type Terminal } from '../output/terminal.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { documentsOf, writeDocuments } from './documents.ts'
import { type CopyReport, copyMeter, summaryOf } from './progress.ts'
import { type CopyStores, copyStores } from './stores.ts'
import { verifyReceipts } from './verify-receipts.ts'

export type CopyOptions = { readonly from?: string; readonly to: string; readonly json?: boolean }

/** Copies a whole house into another store, compares both, and builds every recorded request again on both sides. */
export async function copyCommand(terminal: Terminal, options: CopyOptions): Promise<number> {
  const stores = copyStores(terminal.environment, options)
  if (!stores.ok) return complain(terminal, stores.fault.message, stores.fault.kind === 'invalid' ? MISUSED : 1)
  const interrupts = hearInterrupts()
  try {
    const copied = await withHouses(stores.value, (source, target, workspace) =>
      copyAll(terminal, stores.value, { source, target, workspace, abort: interrupts.signal }),
    )
    if (!copied.ok && interrupts.signal.aborted)
      return complain(terminal, 'stopped; run the same command again, and it goes on', interrupts.signal.reason)
    if (!copied.ok) return complain(terminal, copied.fault.message)
    const { different, first } = copied.value.receipts
    if (options.json === true) print(terminal, jsonForTerminal(copied.value))
    else printPage(terminal, ...summaryOf(copied.value, stores.value))
    if (first === null) return 0
    return complain(
      terminal,
      `everything is copied, but ${different === 1 ? 'a request verifies' : `${different} requests verify`} in neither store: ${first}; compare with a backup`,
    )
  } finally {
    interrupts.stop()
  }
}

type Use = (source: HouseSource, target: HouseTarget, workspace: Workspace) => Promise<Result<CopyReport, Fault>>

/** Opens the source first, since nothing may be made in its place. */
async function withHouses({ home, environment, from, to }: CopyStores, use: Use): Promise<Result<CopyReport, Fault>> {
  const source = await openHouse(from)
  if (!source.ok) return placed('the source', source.fault)
  try {
    const gateway = from.kind === 'postgres' ? readGatewayAddress(home) : undefined
    if (gateway !== undefined)
      return err(fault('conflict', `a gateway runs on this workspace (process ${gateway.pid}); stop it, and copy again`))
    const workspace = await enterWorkspace(environment, { create: false })
    if (!workspace.ok) return workspace
    try {
      const target = await openTarget(source.value, to)
      if (!target.ok) return placed('the target', target.fault)
      try {
        return await use(source.value, target.value, workspace.value)
      } finally {
        await target.value.close()
      }
    } finally {
      await workspace.value.shared?.close()
    }
  } finally {
    await source.value.close()
  }
}

const placed = (which: string, { kind, message }: Fault): Result<never, Fault> => err(fault(kind, `${which}: ${message}`))

type Copying = {
  readonly source: HouseSource
  readonly target: HouseTarget
  readonly workspace: Workspace
  readonly abort: AbortSignal
}

async function copyAll(
  terminal: Terminal,
  stores: CopyStores,
  { source, target, workspace, abort }: Copying,
): Promise<Result<CopyReport, Fault>> {
  for (const [which, house] of [
    ['the source', source],
    ['the target', target],
  ] as const) {
    const busy = await house.whyBusy()
    if (!busy.ok) return placed(which, busy.fault)
    if (busy.value !== undefined) return err(fault('conflict', `${which}: ${house.title}: ${busy.value}`))
  }
  // Where the target keeps documents itself, they are rows of the house.
  const documents = stores.to.kind === 'sqlite' ? documentsOf(workspace) : ok([])
  if (!documents.ok) return documents
  const all = await source.counts()
  if (!all.ok) return placed('the source', all.fault)
  const meter = copyMeter(terminal, all.value)
  const watch: CopyWatch = { abort, onProgress: meter.tell }
  try {
    const copied = await copyHouse(source, target, watch)
    if (!copied.ok) return copied
    const compared = await compareHouses(source, target, watch)
    if (!compared.ok) return compared
    const context = { workspace, environment: stores.environment }
    const receipts = await verifyReceipts(source, stores, context, { abort, onVerified: meter.verified })
    if (!receipts.ok) return receipts
    const files = await writeDocuments(workspace, documents.value)
    if (!files.ok) return files
    const finished = await target.finish()
    if (!finished.ok) return finished
    return ok({
      ...{ from: source.title, to: target.title, copied: copied.value, compared: compared.value },
      ...{ receipts: receipts.value, files: files.value },
    })
  } finally {
    meter.clear()
  }
}
