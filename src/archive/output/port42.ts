// Writes session files of Port 42.
import type { Attachment } from '../../model/event.ts'
import { labelOf, textOfFile } from '../../model/message/attachment.ts'
import type { Session } from '../../model/session.ts'
import type { ConversationPiece, ExportedTurn } from './conversation-view.ts'

type Message = { readonly role: 'user' | 'assistant'; readonly content: string; readonly timestamp: string }

/** Writes a session file of Port 42, with messages and answers. Its format has no place for thinking, tools and failed turns. */
export async function* port42Pieces(session: Session, pieces: AsyncIterable<ConversationPiece>): AsyncGenerator<string> {
  const { id, agent, council, archived, createdAt, updatedAt } = session
  const head = {
    ...{ id, agent: council === null ? `@ai-${agent ?? 'assistant'}` : `council:${council}` },
    ...{ state: archived ? 'completed' : 'active', created_at: createdAt, updated_at: updatedAt },
  }
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "messages": [`
  let before = '\n'
  for await (const each of pieces) {
    for (const message of messagesIn(each, council !== null)) {
      yield `${before}    ${JSON.stringify(message, null, 2).replaceAll('\n', '\n    ')}`
      before = ',\n'
    }
  }
  yield before === '\n' ? ']\n}\n' : '\n  ]\n}\n'
}

function messagesIn(piece: ConversationPiece, isCouncil: boolean): readonly Message[] {
  if (piece.type === 'turns') return piece.turns.flatMap(turn => answerIn(turn, isCouncil))
  if (piece.type !== 'message' || piece.message.exchange !== undefined) return []
  const { text, parts = [], at } = piece.message
  const content = [...(text.trim() === '' ? [] : [text]), ...parts.map(spoken)].join('\n\n')
  return content === '' ? [] : [{ role: 'user', content, timestamp: at }]
}

const spoken = (file: Attachment): string => (file.type === 'text' ? textOfFile(file) : labelOf(file))

/** In a council the voice's name goes before its answer, because nothing else tells the voices apart. */
function answerIn({ name, parts, end, at }: ExportedTurn, isCouncil: boolean): readonly Message[] {
  if (end?.reason !== 'done' && end?.reason !== 'cancelled') return []
  const text = parts.flatMap(part => (part.type === 'text' && part.text !== '' ? [part.text] : [])).join('\n\n')
  return text === '' ? [] : [{ role: 'assistant', content: isCouncil ? `${name}: ${text}` : text, timestamp: at }]
}
