// The state of the line editor, and the smallest changes to it.
/** The choices for the text at the cursor: each one replaces the text between `from` and the cursor. */
export type Completion = { readonly from: number; readonly choices: readonly string[] }
export type Complete = (text: string, cursor: number) => Completion

/** Everything about the line being typed. A change makes a new state. */
export type EditorState = {
  readonly text: string
  readonly cursor: number
  /** The column that consecutive ups and downs aim at. */
  readonly goal?: number
  /** The text cut last, for Ctrl-Y. */
  readonly cut: string
  /** Oldest first. */
  readonly history: readonly string[]
  /** Which line of the history is shown; the length of the history means the draft. */
  readonly place: number
  /** Lines that were changed and then left, by index: the draft, and recalled lines. */
  readonly kept: ReadonlyMap<number, string>
  /** A backward search: the words, and where they were found. */
  readonly search?: { readonly query: string; readonly found: number | undefined; readonly draft: string }
  /** The choices of Tab, and which one is in the text. */
  readonly offer?: Completion & { readonly chosen: number; readonly before: string; readonly after: string }
  /** One line for the person, until the next key. */
  readonly notice?: string
  /** Whether Ctrl-X waits for its second key. */
  readonly waits?: boolean
}

/** Actions that the state cannot do itself. */
export type Act =
  | { readonly type: 'submit' | 'interrupt' | 'external'; readonly text: string }
  | { readonly type: 'end' }
  | { readonly type: 'clear' }
  | { readonly type: 'suspend' }

export type Pressed = { readonly state: EditorState; readonly act?: Act }

/** Facts that the state cannot know itself. */
export type Around = { readonly width: number; readonly complete: Complete; readonly isBusy: boolean }

/** The longest message. Longer input is refused, and the draft stays. */
export const LONGEST_INPUT_BYTES: number = 1024 * 1024

export const emptyState = (history: readonly string[]): EditorState => ({
  text: '',
  cursor: 0,
  cut: '',
  history,
  place: history.length,
  kept: new Map(),
})

/** Inserts text at the cursor if there is room for it. */
export function insert(state: EditorState, text: string): EditorState {
  const whole = state.text.slice(0, state.cursor) + text + state.text.slice(state.cursor)
  if (whole.length > LONGEST_INPUT_BYTES / 4 && Buffer.byteLength(whole) > LONGEST_INPUT_BYTES)
    return { ...state, notice: 'this would be longer than 1 MiB; send it as a file instead' }
  return { ...state, text: whole, cursor: state.cursor + text.length }
}

/** Pasted text with normal line ends and a picture for every other control. No part of a paste acts as a key. */
export const pasted = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cc}/gu, character => (character === '\n' || character === '\t' ? character : picture(character)))

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x7f) return '␡'
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
