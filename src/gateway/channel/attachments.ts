/** Fetches the files of a message from its channel, and finds out what their bytes really are. */
import type { InboundPart } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { imageTypeOf } from '../../turn/admission/image.ts'
import { escapeToOneLine } from '../cli/output/escape-for-terminal.ts'
import type { ChannelAdapter, SentFile } from './adapter.ts'

type Files = Pick<ChannelAdapter, 'file' | 'title'>

/** The parts for the engine; the first file that cannot be taken is a fault in words for the person who sent it. */
export async function fetchParts(channel: Files, files: readonly SentFile[]): Promise<Result<readonly InboundPart[], Fault>> {
  const parts: InboundPart[] = []
  for (const file of files) {
    const part = await fetchPart(channel, file)
    if (!part.ok) return part
    parts.push(part.value)
  }
  return ok(parts)
}

async function fetchPart(channel: Files, file: SentFile): Promise<Result<InboundPart, Fault>> {
  const name = escapeToOneLine(file.name).slice(0, 200) || 'file'
  const fetched = await channel.file(file)
  if (!fetched.ok) {
    const { kind, message, retryable } = fetched.fault
    if (kind === 'too-large') return err(fault('too-large', `“${name}” is too large: ${message}.`))
    // A refusal is final. Trouble on the way may pass, and a channel that closes has not said anything about the file.
    const mayComeLater = retryable || kind === 'cancelled'
    return err(mayComeLater ? fetched.fault : fault('invalid', `“${name}” could not be fetched from ${channel.title}.`))
  }
  const kind = kindOf(fetched.value, file.mediaType)
  if (kind === undefined)
    return err(fault('invalid', `“${name}” cannot be taken: images (PNG, JPEG, GIF, WebP), PDF and text files can.`))
  return ok({ ...kind, name, data: fetched.value.toString('base64') })
}

/** The bytes decide, not the type that the sender's device gave. */
function kindOf(bytes: Buffer, given: string): Pick<InboundPart, 'type' | 'mediaType'> | undefined {
  const image = imageTypeOf(bytes)
  if (image !== undefined) return { type: 'image', mediaType: image }
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return { type: 'file', mediaType: 'application/pdf' }
  if (bytes.includes(0) || !isUtf8(bytes)) return undefined
  return { type: 'file', mediaType: /^text\/[\w.+-]+$/.test(given) ? given : 'text/plain' }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
