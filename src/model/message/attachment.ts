/** Words for attached files: how they are named to people and models. */
import type { Attachment, ResultImage } from '../event.ts'
import type { Abilities } from '../plan.ts'

/** The most files and images that one message may bring. */
export const MOST_PARTS = 20

type Named = { readonly type: Attachment['type']; readonly name: string }

/** How a file is named in a text that does not include the file. */
export const labelOf = (file: Named): string => `[${spoken(file)}]`

/** A text file as a model reads it. */
export const textOfFile = ({ name, text }: Extract<Attachment, { type: 'text' }>): string => `[File ${name}]\n${text}`

/** What a model reads in place of a file that it could not make anything of. */
export const unseenText = (file: Named): string =>
  `[${spoken(file)} is not shown: ${file.type === 'image' ? 'this model does not see images' : 'this model does not read PDF files'}]`

/** What a model reads in place of a file whose bytes are not there. */
export const unreadText = (file: Named): string => `[${spoken(file)} could not be read]`

/** Says which call the images after it belong to, where they cannot be part of its result. */
export function imagesOfText(tool: string, images: number, call?: string): string {
  const many = images === 1 ? 'Image' : `${images} images`
  const whose = tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'tool'
  return `[${many} of the result of ${whose}${call === undefined ? '' : `, call ${call}`}:]`
}

/** Whether a model can make something of a file. */
export const isSeen = ({ type }: Named, { images, files }: Pick<Abilities, 'images' | 'files'>): boolean =>
  type === 'text' || (type === 'image' ? images : files)

const spoken = ({ type, name }: Named): string => `${type === 'image' ? 'Image' : 'File'} ${name}`

/** What the images of a result cost a model that sees them. */
export const tokensOfImages = (images: readonly ResultImage[] = []): number => images.reduce((sum, { tokens }) => sum + tokens, 0)
