// Writes a conversation as one HTML page.
import type { Attachment, ResultImage } from '../../model/event.ts'
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
  requestWords,
} from './conversation-words.ts'
import { escaped } from './escaped.ts'
import { htmlOfMarkdown, plainHtml } from './html-markdown.ts'
import { STYLE } from './html-style.ts'

/** Gives the base64 of a file by its hash, if it is still kept. */
export type FileAt = (hash: string) => Promise<string | undefined>

/** The page fetches nothing and runs nothing, no matter what it contains. This policy makes the browser enforce that. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** Writes a conversation as one page that needs no other file. The messages are rendered in the text thread. */
export async function* htmlPieces(
  session: Session,
  pieces: AsyncIterable<ConversationPiece>,
  fileAt: FileAt,
): AsyncGenerator<string> {
  const title = escaped(exportTitle(session))
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>
${STYLE}
</style>
</head>
<body>
<header>
<h1 dir="auto">${title}</h1>
<p class="soft">${escaped(`${moment(session.createdAt)} to ${moment(session.updatedAt)} · ${answeredBy(session)} · ${session.id}`)}</p>
</header>
<main>
`
  for await (const each of pieces) {
    if (each.type === 'message' && each.message.exchange === undefined) {
      const { message } = each
      yield `<article class="said">\n${headingOf(exportSender(message), message.at)}\n`
      yield (await jobs.call('htmlOfMessage', message.text)) ?? note(TOO_SLOW, ' trouble')
      for (const file of message.parts ?? []) yield* fileHtml(file, fileAt)
      yield '</article>\n'
    } else {
      const read = await jobs.call('htmlOfPiece', each, 'read')
      const whole = read ?? (await jobs.call('htmlOfPiece', each, 'as written')) ?? note(TOO_SLOW, ' trouble')
      yield* withImages(whole, imagesIn(each), fileAt)
    }
  }
  yield '</main>\n</body>\n</html>\n'
}

async function* fileHtml(file: Attachment, fileAt: FileAt): AsyncGenerator<string> {
  const data = isPicture(file) ? await fileAt(file.hash) : undefined
  yield (await jobs.call('htmlOfFile', file, data)) ?? note(TOO_SLOW, ' trouble')
}

/** Where an image of a result goes. No text of a conversation can be this, since all of it is escaped. */
const IMAGE_PLACE = '<template class="image"></template>\n'

/** Puts the images of results into their places, one at a time, so that they are never all in memory. */
async function* withImages(html: string, images: readonly Attachment[], fileAt: FileAt): AsyncGenerator<string> {
  const [first = '', ...others] = html.split(IMAGE_PLACE)
  yield first
  for (const [index, rest] of others.entries()) {
    const image = images[index]
    if (image !== undefined) yield* fileHtml(image, fileAt)
    yield rest
  }
}

const imagesIn = (piece: ConversationPiece): readonly ResultImage[] =>
  piece.type !== 'turns'
    ? []
    : piece.turns.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'call' ? (part.result?.images ?? []) : [])))

const headingOf = (name: string, at: string): string =>
  `<h2><bdi>${escaped(name)}</bdi> <time datetime="${escaped(at)}">${escaped(moment(at))}</time></h2>`

const note = (words: string, kind = ''): string => `<p class="note${kind}">${escaped(words)}</p>\n`

export const htmlOfMessage = (text: string): string =>
  text.trim() === '' ? '' : `<div class="text" dir="auto">${escaped(text)}</div>\n`

/** Renders a piece of a conversation, with its Markdown rendered or as it was written. */
export function htmlOfPiece(piece: ConversationPiece, how: 'read' | 'as written'): string {
  const markdown = how === 'read' ? htmlOfMarkdown : plainHtml
  switch (piece.type) {
    case 'message': {
      const { round, of } = piece.message.exchange ?? { round: 1, of: 1 }
      return note(`The advisors answer each other, round ${round} of ${of}.`)
    }
    case 'turns':
      return `<section class="turns${piece.turns.length > 1 ? ' many' : ''}">\n${piece.turns.map(turn => turnOf(turn, markdown)).join('')}</section>\n`
    case 'marked':
      return note(markedWords(piece.mark))
    case 'folded':
      return `${note(`${foldWords(piece.fold)}${piece.fold.text.trim() === '' ? '.' : ':'}`)}${wordsOf(piece.fold.text, markdown)}`
    case 'damaged':
      return note(`What stood at ${piece.row.seq} can no longer be read: ${piece.row.why}.`, ' trouble')
  }
}

type Markdown = (text: string) => string

function turnOf(turn: ExportedTurn, markdown: Markdown): string {
  const ending = endingOf(turn)
  return [
    `<article>\n${headingOf(turn.name, turn.at)}\n`,
    ...remarksOn(turn).map(remark => note(remark)),
    ...turn.parts.map(part => partOf(part, markdown)),
    ...(ending === undefined ? [] : [note(ending, ' trouble')]),
    receiptOf(turn),
    '</article>\n',
  ].join('')
}

function partOf(part: ExportedPart, markdown: Markdown): string {
  if (part.type === 'call') return callOf(part)
  if (part.text.trim() === '') return ''
  const words = wordsOf(part.text, markdown)
  return part.type === 'text' ? words : `<details><summary>Thinking</summary>\n${words}</details>\n`
}

const wordsOf = (text: string, markdown: Markdown): string =>
  text.trim() === '' ? '' : `<div class="markdown" dir="auto">${markdown(text)}</div>\n`

function callOf({ tool, args, argv, answer, reason, result }: ExportedCall): string {
  const outcome = result === undefined ? 'no result is known' : `${result.ok ? '' : 'failed: '}${result.outcome}`
  const word = answer === undefined ? '' : note(`A person: ${ANSWERS[answer]}${reason === undefined ? '' : `, ${reason}`}.`)
  return [
    `<details><summary>Tool <code>${escaped(tool)}</code> · ${escaped(outcome)}</summary>\n`,
    `<pre>${escaped(args)}</pre>\n`,
    argv === undefined ? '' : `<pre>${escaped(argv.map(each => JSON.stringify(each)).join(' '))}</pre>\n`,
    word,
    result?.content === undefined ? '' : `<pre>${escaped(result.content)}</pre>\n`,
    IMAGE_PLACE.repeat(result?.images?.length ?? 0),
    '</details>\n',
  ].join('')
}

/** The requests of this answer, one line each. */
function receiptOf({ requests }: ExportedTurn): string {
  if (requests.length === 0) return ''
  const lines = requests.map(request => `<li>${escaped(requestWords(request))}</li>`).join('')
  return `<details><summary>What was sent</summary><ol>${lines}</ol></details>\n`
}

const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

type Picture = Exclude<Attachment, { readonly type: 'text' }>

const isPicture = (file: Attachment): file is Picture => file.type === 'image' && SHOWN.has(file.mediaType)

/** Images of a known kind become part of the page if their base64 is there. Any other file is shown by its name. */
export function htmlOfFile(file: Attachment, data: string | undefined): string {
  const name = escaped(fileWords(file))
  if (file.type === 'text') return `<details><summary>${name}</summary><pre>${escaped(file.text)}</pre></details>\n`
  if (data === undefined || !/^[a-z0-9+/]+={0,2}$/i.test(data)) return `<p class="soft">${name}</p>\n`
  return `<figure><img src="data:${file.mediaType};base64,${data}" alt="${escaped(file.name)}"></figure>\n`
}
