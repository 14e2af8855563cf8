import type { Attachment, ResultImage } from '../../src/model/event.ts'
import type { FileBlock } from '../../src/model/plan.ts'
import type { Files } from '../../src/model/provider.ts'
import { hash } from '../../src/turn/step/measure.ts'

/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A document of one empty page. */
export const PDF: string = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`,
).toString('base64')

export const IMAGE: Exclude<Attachment, { type: 'text' }> = {
  type: 'image',
  name: 'photo.png',
  mediaType: 'image/png',
  hash: hash(PNG),
  bytes: Buffer.from(PNG, 'base64').length,
  tokens: 85,
}

/** The same picture as a tool gave it. */
export const RESULT_IMAGE: ResultImage = { ...IMAGE, type: 'image', name: 'image-1.png' }

export const PAPER: Exclude<Attachment, { type: 'text' }> = {
  type: 'file',
  name: 'paper.pdf',
  mediaType: 'application/pdf',
  hash: hash(PDF),
  bytes: Buffer.from(PDF, 'base64').length,
  tokens: 2000,
}

/** The bytes of both. */
export const FILES: Files = new Map([
  [IMAGE.hash, PNG],
  [PAPER.hash, PDF],
])

export const blockOf = ({ type, name, mediaType, hash }: Exclude<Attachment, { type: 'text' }>): FileBlock => ({
  type,
  name,
  mediaType,
  hash,
})
