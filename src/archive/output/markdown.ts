// Writes a conversation as Markdown.
import type { Session } from '../../model/session.ts'
import { jobs, TOO_SLOW } from '../text-thread/jobs.ts'
import type { ConversationPiece, ExportedCall, ExportedPart, ExportedTurn } from './conversation-view.ts'
import {
  ANSWERS,
  answeredBy,
  endingOf,
  exportSender,
  exportTitle,
  fileWords,
  foldWords,
  markedWords,
  moment,
  remarksOn,
} from './conversation-words.ts'
import { fenced, plainWords, quotedMarkdown } from './quoted-markdown.ts'

/**
 * Writes a conversation for people: a heading for each message, and everything that others wrote as a quotation. The messages
 * are rendered in the text thread.
 */
export async function* markdownPieces(session: Session, pieces: AsyncIterable<ConversationPiece>): AsyncGenerator<string> {
  yield blocks([
    `# ${plainWords(exportTitle(session))}`,
    [
      `- Began: ${moment(session.createdAt)}`,
      `- Last used: ${moment(session.updatedAt)}`,
      `- Answered by: ${plainWords(answeredBy(session))}`,
      `- Session: ${plainWords(session.id)}`,
    ].join('\n'),
  ])
  for await (const each of pieces) {
    const read = await jobs.call('markdownOfPiece', each, 'read')
    yield read ?? (await jobs.call('markdownOfPiece', each, 'as written')) ?? `\n*${TOO_SLOW}*\n`
  }
}

/** Renders a piece of a conversation, with its Markdown quoted, or as it was written in a fence. */
export const markdownOfPiece = (piece: ConversationPiece, how: 'read' | 'as written'): string =>
  `\n${blocks(pieceBlocks(piece, how === 'read' ? quotedMarkdown : text => fenced(text)))}`

type Quoted = (text: string, depth?: number) => string

const blocks = (each: readonly string[]): string => `${each.join('\n\n')}\n`

function pieceBlocks(piece: ConversationPiece, quoted: Quoted): readonly string[] {
  switch (piece.type) {
    case 'message': {
      const { message } = piece
      if (message.exchange !== undefined) {
        const { round, of } = message.exchange
        return [`*The advisors answer each other, round ${round} of ${of}.*`]
      }
      return [
        heading(exportSender(message), message.at),
        ...(message.text.trim() === '' ? [] : [quoted(message.text)]),
        ...(message.parts ?? []).flatMap(file => [
          `*${plainWords(fileWords(file))}*`,
          ...(file.type === 'text' ? [fenced(file.text)] : []),
        ]),
      ]
    }
    case 'turns':
      return piece.turns.flatMap(turn => turnBlocks(turn, quoted))
    case 'marked':
      return [`*${markedWords(piece.mark)}*`]
    case 'folded':
      return piece.fold.text.trim() === ''
        ? [`*${foldWords(piece.fold)}.*`]
        : [`*${foldWords(piece.fold)}:*`, quoted(piece.fold.text)]
    case 'damaged':
      return [`*What stood at ${piece.row.seq} can no longer be read: ${plainWords(piece.row.why)}.*`]
  }
}

const heading = (name: string, at: string): string => `## ${plainWords(name)} · ${moment(at)}`

function turnBlocks(turn: ExportedTurn, quoted: Quoted): readonly string[] {
  const ending = endingOf(turn)
  return [
    heading(turn.name, turn.at),
    ...remarksOn(turn).map(remark => `*${remark}*`),
    ...turn.parts.flatMap(part => partBlocks(part, quoted)),
    ...(ending === undefined ? [] : [`*${plainWords(ending)}*`]),
  ]
}

function partBlocks(part: ExportedPart, quoted: Quoted): readonly string[] {
  if (part.type === 'call') return callBlocks(part)
  if (part.text.trim() === '') return []
  return part.type === 'text' ? [quoted(part.text)] : ['*Thinking:*', quoted(part.text, 2)]
}

function callBlocks({ tool, args, argv, answer, reason, result }: ExportedCall): readonly string[] {
  return [
    `**Tool** ${plainWords(tool)}`,
    fenced(args, 'json'),
    ...(argv === undefined ? [] : ['What would be run:', fenced(argv.map(each => JSON.stringify(each)).join(' '))]),
    ...(answer === undefined ? [] : [`*A person: ${ANSWERS[answer]}${reason === undefined ? '' : `, ${plainWords(reason)}`}.*`]),
    ...(result === undefined
      ? ['*No result is known.*']
      : [`**Result** ${result.ok ? '' : 'failed: '}${plainWords(result.outcome)}`]),
    ...(result?.content === undefined ? [] : [fenced(result.content)]),
    ...(result?.images ?? []).map(image => `*${plainWords(fileWords(image))}*`),
  ]
}
