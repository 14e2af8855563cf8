import type { InboundPart } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { imageTypeOf } from '../../turn/admission/image.ts'
import { oneLine } from '../cli/output/escape-for-terminal.ts'
import type { BotApi } from './bot-api.ts'
import type { Sent } from './update.ts'

/** More than this Telegram does not give to a bot. */
const MOST_BYTES = 20_000_000

/** The files of a message, fetched; the first that cannot be taken is said in words for whoever sent it. */
export async function fetchParts(
  api: Pick<BotApi, 'file'>,
  files: readonly Sent[],
): Promise<Result<readonly InboundPart[], Fault>> {
  const parts: InboundPart[] = []
  for (const file of files) {
    const part = await fetchPart(api, file)
    if (!part.ok) return part
    parts.push(part.value)
  }
  return ok(parts)
}

async function fetchPart(api: Pick<BotApi, 'file'>, { id, name, mediaType, bytes }: Sent): Promise<Result<InboundPart, Fault>> {
  const called = oneLine(name).slice(0, 200) || 'file'
  const tooLarge = fault('too-large', `“${called}” is too large: a bot may fetch files of 20 MB at most.`)
  if (bytes > MOST_BYTES) return err(tooLarge)
  const fetched = await api.file(id, MOST_BYTES)
  if (!fetched.ok && fetched.fault.kind === 'too-large') return err(tooLarge)
  if (!fetched.ok) {
    // Whether a later try would bring it only Telegram knows; a refusal is for good, the end of this process is none.
    const mayCome = fetched.fault.retryable || fetched.fault.kind === 'cancelled'
    return err(mayCome ? fetched.fault : fault('invalid', `“${called}” could not be fetched from Telegram.`))
  }
  const kind = kindOf(fetched.value, mediaType)
  if (kind === undefined)
    return err(fault('invalid', `“${called}” cannot be taken: images (PNG, JPEG, GIF, WebP), PDF and text files can.`))
  return ok({ ...kind, name: called, data: fetched.value.toString('base64') })
}

/** What the bytes are counts, not what the phone called them. */
function kindOf(bytes: Buffer, said: string): Pick<InboundPart, 'type' | 'mediaType'> | undefined {
  const image = imageTypeOf(bytes)
  if (image !== undefined) return { type: 'image', mediaType: image }
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return { type: 'file', mediaType: 'application/pdf' }
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  return { type: 'file', mediaType: /^text\/[\w.+-]+$/.test(said) ? said : 'text/plain' }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
