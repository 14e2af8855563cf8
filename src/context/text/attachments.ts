/** Attached files as a model is sent them, and what they weigh. */
import type { Attachment, ResultImage } from '../../model/event.ts'
import { isSeen, labelOf, textOfFile, tokensOfImages, unseenText } from '../../model/message/attachment.ts'
import type { Abilities, Block, FileBlock, Material, Message } from '../../model/plan.ts'
import type { CallAnswer, Heard } from '../stages/draft.ts'
import type { Measure } from './tokens.ts'

/** What a person said as a model is sent it: the files that came with it, then the words. */
export function heardBlocks({ text, attachments }: Heard): readonly Block[] {
  if (attachments.length === 0) return [{ type: 'text', text }]
  const files = attachments.map(
    (file): Block => (file.type === 'text' ? { type: 'text', text: textOfFile(file) } : blockOf(file)),
  )
  return text.trim() === '' ? files : [...files, { type: 'text', text }]
}

/** What a person said as one text: files that are not text are only mentioned. */
export function heardText({ text, attachments }: Heard): string {
  if (attachments.length === 0) return text
  const files = attachments.map(file => (file.type === 'text' ? textOfFile(file) : labelOf(file)))
  return (text.trim() === '' ? files : [...files, text]).join('\n')
}

/** The files of a message that are not text. */
export const fileBlocks = ({ attachments }: Heard): readonly FileBlock[] =>
  attachments.flatMap(file => (file.type === 'text' ? [] : [blockOf(file)]))

/** The result of a call as a model is sent it, with its images. */
export const resultBlock = ({ call, ok, text, images }: CallAnswer): Extract<Block, { type: 'result' }> => ({
  ...{ type: 'result', call, ok, text },
  ...(images === undefined ? {} : { images: imageBlocks(images) }),
})

export const imageBlocks = (images: readonly ResultImage[]): readonly FileBlock[] => images.map(blockOf)

/** The images of a result that this model sees, and what the result weighs with them; where it sees none, the text names them. */
export function seenResult(
  { images, tokens }: { readonly images?: readonly ResultImage[]; readonly tokens: number },
  abilities: Sight | undefined,
): Pick<CallAnswer, 'images'> & { readonly tokens: number } {
  if (images === undefined) return { tokens }
  return abilities?.images === true ? { images, tokens } : { tokens: tokens - tokensOfImages(images) }
}

/** By how much a file that this model cannot see makes its message lighter than it was counted. */
export function unseenRelief(attachments: readonly Attachment[], abilities: Sight | undefined, measure: Measure): number {
  return attachments.reduce(
    (sum, file) => (file.type === 'text' ? sum : sum + file.tokens - fileTokens(file, abilities, measure)),
    0,
  )
}

/** What a file costs, be it shown or only named. */
export const fileTokens = (file: Kept, abilities: Sight | undefined, measure: Measure): number =>
  isSeen(file, abilities ?? BLIND) ? file.tokens : measure.count(unseenText(file))

/** What the files cost that a request shows. */
export function shownTokens(messages: readonly Message[], { events, model }: Material): number {
  const files = events.flatMap((event): readonly Attachment[] => {
    if (event.type === 'message.received') return event.parts ?? []
    return event.type === 'tool.settled' ? (event.images ?? []) : []
  })
  const tokens = new Map(files.flatMap(file => (file.type === 'text' ? [] : [[file.hash, file.tokens] as const])))
  if (tokens.size === 0) return 0
  const blocks = messages.flatMap(message => message.blocks.flatMap(withImages))
  return blocks.reduce(
    (sum, block) => sum + ('hash' in block && isSeen(block, model.abilities ?? BLIND) ? (tokens.get(block.hash) ?? 0) : 0),
    0,
  )
}

/** A block, and the images within it. */
const withImages = (block: Block): readonly Block[] =>
  block.type === 'result' && block.images !== undefined ? [block, ...block.images] : [block]

type Kept = Exclude<Attachment, { type: 'text' }>
type Sight = Pick<Abilities, 'images' | 'files'>

const BLIND: Sight = { images: false, files: false }

const blockOf = ({ type, name, mediaType, hash }: Kept): FileBlock => ({ type, name, mediaType, hash })
