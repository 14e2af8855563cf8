// Reads files as parts of a message.
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { InboundPart } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { MOST_PARTS } from '../../../model/message/attachment.ts'
import { err, ok, type Result } from '../../../model/result.ts'

/** The most bytes that a gateway accepts in one message. */
const MOST_BYTES = 17 << 20

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** Reads files as parts of a message. The file extension decides between image, PDF and text. */
export async function filesAt(paths: readonly string[]): Promise<Result<readonly InboundPart[], Fault>> {
  if (paths.length > MOST_PARTS) return err(fault('invalid', `at most ${MOST_PARTS} files go with one message`))
  const parts: InboundPart[] = []
  let size = 0
  for (const path of paths) {
    const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => cause)
    if (bytes instanceof Error)
      return err(fault('invalid', `${path} cannot be read (${bytes.code ?? bytes.message}); check the path`))
    size += bytes.length
    if (size > MOST_BYTES) return err(fault('too-large', `these files have more than ${MOST_BYTES >> 20} MiB together`))
    parts.push({ ...kindOf(path), name: basename(path), data: bytes.toString('base64') })
  }
  return ok(parts)
}

function kindOf(path: string): Pick<InboundPart, 'type' | 'mediaType'> {
  const ending = extname(path).toLowerCase()
  const image = Object.hasOwn(IMAGES, ending) ? IMAGES[ending] : undefined
  if (image !== undefined) return { type: 'image', mediaType: image }
  return { type: 'file', mediaType: ending === '.pdf' ? 'application/pdf' : 'text/plain' }
}
