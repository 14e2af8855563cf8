/** Writes a conversation as one text, the transcript, byte for byte. */

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

/** What differs between versions of the form. */
export type TranscriptForm = {
  /**
   * The last line of a text that ends in a line break is written as `\`, and one of only `\` gets one more. So every event is
   * followed by exactly one blank line, and the whole text ends without a line break. Absent, line breaks stay as they are.
   */
  readonly closesTexts?: boolean
}

/** The form that is written unless a caller asks for another. */
export const OPEN_TEXTS: TranscriptForm = {}
/** The form in which a line break at the end of a text is visible. */
export const CLOSED_TEXTS: TranscriptForm = { closesTexts: true }

/**
 * A conversation as one text, byte for byte. Lines of content that would read as markers are escaped:
 * a `\` before `$user:`, `$respond:`, `$think:`, `$call:`, `$result:` or `===`, and before any number of `\` before those.
 * All other content stays as it is, so every event ends where the blank line before the next marker begins.
 * A result's outcome ends at its first blank line, so a blank line inside an outcome is written as `\`, and `\` as `\\`.
 */
export function format({ history, shown, current }: Transcript, form: TranscriptForm = OPEN_TEXTS): string {
  const cut = shown === undefined ? '' : `\n(showing last ${shown.last} of ${shown.of} messages)`
  const written = (event: TranscriptEvent): string => formatEvent(event, form)
  const sections = [
    ...(history.length === 0 ? [] : [`=== HISTORY ===${cut}`, ...history.map(written)]),
    ...(current.length === 0 ? [] : ['=== CURRENT ===', ...current.map(written)]),
  ]
  return sections.join('\n\n')
}

function formatEvent(event: TranscriptEvent, { closesTexts = false }: TranscriptForm): string {
  const ended = (text: string): string => (closesTexts ? text.replace(LAST_LINE, '\n\\') : text)
  switch (event.type) {
    case 'call':
      return `$call: ${spaced(JSON.stringify({ name: event.name, args: event.args }))}`
    case 'result': {
      const content = event.content === undefined ? '' : `\n${ended(`\n${quoted(event.content)}`)}`
      return `$result: ${closed(quoted(event.outcome))}${content}`
    }
    default:
      return `$${event.type}: ${ended(quoted(event.text))}`
  }
}

// `^` is also what follows \r and U+2028: a reader may take those for the end of a line, so markers after them are escaped too.
const MARKER = /^(?=\\*(?:\$(?:user|respond|think|call|result):|===))/gm

const quoted = (text: string): string => text.replace(MARKER, '\\')

/** The break before a last line that is empty, or that reads like one that was closed. */
const LAST_LINE = /\n(?=\\*$)/

/** Leaves no blank line inside or at the end. The outcome's first line follows its marker, so only later lines need a sign. */
const closed = (outcome: string): string => outcome.replace(/\n(?=\\*(?:\n|$))/g, '\n\\')

/** One space after every `:` and `,` outside of strings. */
const spaced = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[:,]/g, part => (part.length === 1 ? `${part} ` : part))
