import { assemble } from '../context/assemble.ts'
import { lint } from '../context/lint.ts'
import type { KeptText } from '../log/log.ts'
import type { Fault } from '../model/fault.ts'
import type { ReceiptId } from '../model/ids.ts'
import type { Material, OutlineItem, Plan } from '../model/plan.ts'
import { type Encoded, type Files, wireLabel } from '../model/provider.ts'
import type { Receipt } from '../model/receipt.ts'
import { ok, type Result } from '../model/result.ts'
import { filesOf } from './files.ts'
import { type Asking, gather, inputsOf } from './gather.ts'
import { hash } from './measure.ts'
import type { Rooms } from './rooms.ts'

/** A request that is ready to go: its exact bytes, their receipt, and the texts to keep with it. */
export type Prepared = {
  readonly material: Material
  readonly plan: Plan
  readonly files: Files
  readonly encoded: Encoded
  readonly receipt: Receipt
  readonly texts: readonly KeptText[]
}

/** Gathers, assembles, encodes and digests; nothing is sent and nothing is stored. */
export async function prepare(
  rooms: Rooms,
  asking: Asking,
  id: ReceiptId | null,
  before: readonly OutlineItem[] | undefined,
): Promise<Result<Prepared, Fault>> {
  const gathered = await gather(rooms, asking)
  if (!gathered.ok) return gathered
  const { material, readMs } = gathered.value
  const started = performance.now()
  const plan = assemble(material, asking.policy, rooms.measure)
  if (!plan.ok) return plan
  const { wire } = asking.model
  const assembled = performance.now()
  const files = await filesOf(plan.value, rooms.files.read)
  if (!files.ok) return files
  const filesMs = performance.now() - assembled
  const encoded = wire.encode(plan.value, files.value)
  const { inputs, texts } = inputsOf(material, asking.policy, wireLabel(wire))
  const timings = { readMs: round(readMs + filesMs), assembleMs: round(performance.now() - started - filesMs) }
  const cache = before === undefined ? null : lint(before, plan.value.outline)
  const receipt: Receipt = { id, digest: hash(encoded.body), ...plan.value.receipt, cache, timings, inputs }
  return ok({ material, plan: plan.value, files: files.value, encoded, receipt, texts })
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000
