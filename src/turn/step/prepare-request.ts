/** Builds a request that is ready to be sent, with its bytes and its receipt. */
import { setImmediate } from 'node:timers/promises'
import { assemble } from '../../context/assemble.ts'
import { lint, madeRoomForQuotes } from '../../context/receipt/cache-lint.ts'
import type { KeptText } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { ReceiptId } from '../../model/ids.ts'
import type { Material, OutlineItem, Plan } from '../../model/plan.ts'
import { type Encoded, type Files, wireLabel } from '../../model/provider.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Services } from '../services.ts'
import { type ContextRequest, gather, inputsOf } from './gather.ts'
import { hash } from './measure.ts'
import { filesOf } from './request-files.ts'

/** A request that is ready to go: its exact bytes, their receipt, and the texts to keep with it. */
export type Prepared = {
  readonly material: Material
  readonly plan: Plan
  readonly files: Files
  readonly encoded: Encoded
  readonly receipt: Receipt
  readonly texts: readonly KeptText[]
}

/**
 * Gathers, assembles, encodes and digests; nothing is sent and nothing is stored. `waitedMs` is how long the caller has read
 * already: the receipt says how long a person waits for a request, with everything that is read for it.
 */
export async function prepare(
  services: Services,
  asking: ContextRequest,
  id: ReceiptId | null,
  before: Outline | Promise<Outline>,
  waitedMs = 0,
  /** Says what would be different, for a request that is only imagined. */
  imagine: (material: Material) => Material = material => material,
): Promise<Result<Prepared, Fault>> {
  const gathered = await gather(services, asking)
  if (!gathered.ok) return gathered
  const { readMs } = gathered.value
  const material = imagine(gathered.value.material)
  const started = performance.now()
  const plan = assemble(material, asking.policy, services.measure)
  if (!plan.ok) return plan
  const { wire } = asking.model
  const assembled = performance.now()
  const { timeLimit } = asking
  let unread: Fault | undefined
  const files = await filesOf(plan.value, async hashes => {
    const reading = services.files.read(hashes)
    const read = await (timeLimit === undefined ? reading : timeLimit.wait(reading, () => err(filesLate(services))))
    if (!read.ok) unread = read.fault
    return read
  })
  // The files of the new message are in memory. If the store cannot give earlier ones, the turn goes on without its history.
  if (unread?.kind === 'store' && asking.bare === undefined && asking.own.length > 0)
    return prepare(
      services,
      { ...asking, bare: unread.message },
      id,
      before,
      waitedMs + readMs + performance.now() - started,
      imagine,
    )
  if (!files.ok) return files
  // Encoding a long request takes time, and so does hashing it: other work may run in between.
  const isLong = plan.value.receipt.tokens.estimated > LONG_REQUEST
  if (isLong) await letOthersRun()
  const filesMs = performance.now() - assembled
  const encoded = wire.encode(plan.value, files.value)
  const { inputs, texts } = inputsOf(material, asking.policy, wireLabel(wire))
  const encodedAt = performance.now()
  if (isLong) await letOthersRun()
  const outline = await (timeLimit === undefined ? before : timeLimit.wait<Outline>(Promise.resolve(before), () => undefined))
  const outlineMs = performance.now() - encodedAt
  const timings = {
    readMs: round(waitedMs + readMs + filesMs + outlineMs),
    assembleMs: round(encodedAt - started - filesMs),
  }
  const cache = outline === undefined ? null : lint(outline, plan.value.outline, madeRoomForQuotes(plan.value.receipt))
  const receipt: Receipt = { id, digest: hash(encoded.body), ...plan.value.receipt, cache, timings, inputs }
  return ok({ material, plan: plan.value, files: files.value, encoded, receipt, texts })
}

/** In tokens; to write down one of this length takes a few milliseconds. */
const LONG_REQUEST = 50_000

/**
 * Lets all timers and streams that are due have their turn. A single immediate may run right behind what a thread answered, and
 * the next one only after a whole round of the event loop.
 */
async function letOthersRun(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** What a voice was last sent, where that is known. */
type Outline = readonly OutlineItem[] | undefined

const filesLate = ({ limits }: Services): Fault =>
  fault('store', `the files of earlier messages were not read within ${limits.historyMs} ms`)

const round = (ms: number): number => Math.round(ms * 1000) / 1000
