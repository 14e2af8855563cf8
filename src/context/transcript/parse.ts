/** Reads back a transcript that `format` wrote. */
import { format, OPEN_TEXTS, type Transcript, type TranscriptEvent, type TranscriptForm } from './format.ts'

/** Reads back what `format` wrote, exactly, and nothing else: like JSON.parse it throws a SyntaxError for other text. */
export function parse(text: string, form: TranscriptForm = OPEN_TEXTS): Transcript {
  const transcript = read(text, form)
  if (format(transcript, form) !== text) throw new SyntaxError('this text is not a canonical transcript')
  return transcript
}

function read(text: string, form: TranscriptForm): Transcript {
  const history: TranscriptEvent[] = []
  const current: TranscriptEvent[] = []
  let shown: Transcript['shown']
  let section = history
  for (const chunk of text === '' ? [] : text.split(BEFORE_MARKER)) {
    const head = HISTORY.exec(chunk)
    if (head?.[1] !== undefined) shown = { last: Number(head[1]), of: Number(head[2]) }
    if (head !== null) section = history
    else if (chunk === '=== CURRENT ===') section = current
    else section.push(parseEvent(chunk, form))
  }
  return { history, ...(shown === undefined ? {} : { shown }), current }
}

const HISTORY = /^=== HISTORY ===(?:\n\(showing last (\d+) of (\d+) messages\))?$/
const BEFORE_MARKER = /\n\n(?=\$(?:user|respond|think|call|result):|===)/

function parseEvent(chunk: string, { closesTexts = false }: TranscriptForm): TranscriptEvent {
  const said = (text: string): string => unquoted(closesTexts ? text.replace(CLOSED_LINE, '\n') : text)
  const [marker = '', type] = /^\$(user|respond|think|call|result): /.exec(chunk) ?? []
  const body = chunk.slice(marker.length)
  switch (type) {
    case 'user':
    case 'respond':
    case 'think':
      return { type, text: said(body) }
    case 'call': {
      const { name, args } = Object(JSON.parse(body)) as { name: string; args: unknown }
      return { type, name, args }
    }
    case 'result': {
      const end = body.indexOf('\n\n')
      const outcome = unquoted(opened(end === -1 ? body : body.slice(0, end)))
      return end === -1 ? { type, outcome } : { type, outcome, content: said(body.slice(end + 1)).slice(1) }
    }
    default:
      throw new SyntaxError(`not an event: ${JSON.stringify(chunk.slice(0, 40))}`)
  }
}

const ESCAPED = /^\\(?=\\*(?:\$(?:user|respond|think|call|result):|===))/gm

const CLOSED_LINE = /\n\\(?=\\*$)/

const unquoted = (text: string): string => text.replace(ESCAPED, '')
const opened = (outcome: string): string => outcome.replace(/\n\\(?=\\*(?:\n|$))/g, '\n')
