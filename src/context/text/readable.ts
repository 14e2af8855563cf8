/** The blocks of a message as text that a person reads. */
import { labelOf } from '../../model/message/attachment.ts'
import type { Block } from '../../model/plan.ts'

/** Blocks as a person reads them: words as they are, a call as `→ tool arguments`, its result as `← text`, a file or image by its name. */
export const readable = (blocks: readonly Block[]): string => blocks.map(blockText).join('\n\n')

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'think':
      return `(thinking) ${block.text}`
    case 'call':
      return `→ ${block.tool} ${block.raw ?? JSON.stringify(block.args)}`
    case 'result':
      return [`← ${block.ok ? '' : 'failed: '}${block.text}`, ...(block.images ?? []).map(labelOf)].join('\n')
    case 'image':
    case 'file':
      return labelOf(block)
  }
}
