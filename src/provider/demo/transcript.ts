/** Reads a request in transcript form back into messages, so that the demo model can go on with a reply that was cut off. */
import type { Block, Message } from '../../model/plan.ts'

/** A conversation that came as one text, split into messages again. `cut` is the beginning of an answer that was cut off. */
export type ReadTranscript = { readonly messages: readonly Message[]; readonly cut: string }

/** Reads the transcript that continues a cycle. Other requests stay as they are. */
export function readTranscript(messages: readonly Message[]): ReadTranscript {
  const last = messages.at(-1)
  const text = last?.blocks.flatMap(block => (block.type === 'text' && CURRENT.test(block.text) ? [block.text] : [])).at(0)
  if (last?.role !== 'user' || text === undefined) return { messages, cut: '' }
  const entries = text.split(/\n\n(?=\$(?:user|respond|think|call|result):|===)/).filter(entry => !entry.startsWith('==='))
  const entered = entries.map(messageOf)
  const end = entered.at(-1)
  const cut = end?.role === 'assistant' ? textOf(end) : ''
  return {
    messages: [...messages.slice(0, -1), ...(cut === '' && end?.role !== 'assistant' ? entered : entered.slice(0, -1))],
    cut,
  }
}

const CURRENT = /^=== (?:CURRENT ===|HISTORY ===[\s\S]*\n\n=== CURRENT ===)/

function messageOf(entry: string): Message {
  const [marker = '', kind] = /^\$(\w+): /.exec(entry) ?? []
  const body = entry.slice(marker.length).replace(/\n\\(?=\\*$)/, '\n')
  const text = body.replace(/^\\(?=\\*(?:\$(?:user|respond|think|call|result):|===))/gm, '')
  const said = (role: Message['role'], block: Block): Message => ({ role, blocks: [block] })
  switch (kind) {
    case 'respond':
      return said('assistant', { type: 'text', text })
    case 'think':
      return said('assistant', { type: 'think', text })
    case 'call':
      return said('assistant', { type: 'call', call: '', tool: '', args: null, raw: text })
    case 'result':
      return said('user', { type: 'result', call: '', ok: true, text })
    default:
      return said('user', { type: 'text', text })
  }
}

const textOf = ({ blocks }: Message): string => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('')
