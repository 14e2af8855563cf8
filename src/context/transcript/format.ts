/** One event of a conversation as the transcript shows it. */
export type TranscriptEvent =
  | { readonly type: 'user' | 'respond' | 'think'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: unknown }
  | { readonly type: 'result'; readonly outcome: string; readonly content?: string }

/** `shown` says how much of a history that was cut is left; without a history it says nothing. */
export type Transcript = {
  readonly history: readonly TranscriptEvent[]
  readonly shown?: { readonly last: number; readonly of: number }
  readonly current: readonly TranscriptEvent[]
}

/**
 * A conversation as one text, byte for byte. Lines of content that would read as markers are escaped:
 * a `\` before `$user:`, `$respond:`, `$think:`, `$call:`, `$result:` or `===`, and before any number of `\` before those.
 * Content stands there otherwise as it is, so every event ends where the blank line before the next marker begins.
 * A result's outcome ends at its first blank line, so a blank line inside an outcome is written as `\`, and `\` as `\\`.
 */
export function format({ history, shown, current }: Transcript): string {
  const cut = shown === undefined ? '' : `\n(showing last ${shown.last} of ${shown.of} messages)`
  const sections = [
    ...(history.length === 0 ? [] : [`=== HISTORY ===${cut}`, ...history.map(formatEvent)]),
    ...(current.length === 0 ? [] : ['=== CURRENT ===', ...current.map(formatEvent)]),
  ]
  return sections.join('\n\n')
}

/** Reads back what `format` wrote, exactly, and nothing else: like JSON.parse it throws a SyntaxError for other text. */
export function parse(text: string): Transcript {
  const transcript = read(text)
  if (format(transcript) !== text) throw new SyntaxError('this text is not a canonical transcript')
  return transcript
}

function read(text: string): Transcript {
  const history: TranscriptEvent[] = []
  const current: TranscriptEvent[] = []
  let shown: Transcript['shown']
  let section = history
  for (const chunk of text === '' ? [] : text.split(BEFORE_MARKER)) {
    const head = HISTORY.exec(chunk)
    if (head?.[1] !== undefined) shown = { last: Number(head[1]), of: Number(head[2]) }
    if (head !== null) section = history
    else if (chunk === '=== CURRENT ===') section = current
    else section.push(parseEvent(chunk))
  }
  return { history, ...(shown === undefined ? {} : { shown }), current }
}

const HISTORY = /^=== HISTORY ===(?:\n\(showing last (\d+) of (\d+) messages\))?$/
const BEFORE_MARKER = /\n\n(?=\$(?:user|respond|think|call|result):|===)/

function formatEvent(event: TranscriptEvent): string {
  switch (event.type) {
    case 'call':
      return `$call: ${spaced(JSON.stringify({ name: event.name, args: event.args }))}`
    case 'result': {
      const content = event.content === undefined ? '' : `\n\n${quoted(event.content)}`
      return `$result: ${closed(quoted(event.outcome))}${content}`
    }
    default:
      return `$${event.type}: ${quoted(event.text)}`
  }
}

function parseEvent(chunk: string): TranscriptEvent {
  const [marker = '', type] = /^\$(user|respond|think|call|result): /.exec(chunk) ?? []
  const body = chunk.slice(marker.length)
  switch (type) {
    case 'user':
    case 'respond':
    case 'think':
      return { type, text: unquoted(body) }
    case 'call': {
      const { name, args } = Object(JSON.parse(body)) as { name: string; args: unknown }
      return { type, name, args }
    }
    case 'result': {
      const end = body.indexOf('\n\n')
      const outcome = unquoted(opened(end === -1 ? body : body.slice(0, end)))
      return end === -1 ? { type, outcome } : { type, outcome, content: unquoted(body.slice(end + 2)) }
    }
    default:
      throw new SyntaxError(`not an event: ${JSON.stringify(chunk.slice(0, 40))}`)
  }
}

// `^` is also what follows \r and U+2028: a reader may take those for the end of a line, so markers after them are escaped too.
const MARKER = /^(?=\\*(?:\$(?:user|respond|think|call|result):|===))/gm
const ESCAPED = /^\\(?=\\*(?:\$(?:user|respond|think|call|result):|===))/gm

const quoted = (text: string): string => text.replace(MARKER, '\\')
const unquoted = (text: string): string => text.replace(ESCAPED, '')

/** No blank line, and none at the end: the outcome's first line stands behind its marker, the others need something in them. */
const closed = (outcome: string): string => outcome.replace(/\n(?=\\*(?:\n|$))/g, '\n\\')
const opened = (outcome: string): string => outcome.replace(/\n\\(?=\\*(?:\n|$))/g, '\n')

/** One space after every `:` and `,` outside of strings. */
const spaced = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[:,]/g, part => (part.length === 1 ? `${part} ` : part))
