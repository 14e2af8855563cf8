// What each key of the editor does.
import { columnAt, layout, placeAt, textRowAt } from './layout.ts'
import { charLeft, charRight, lineEnd, lineStart, spacedLeft, wordLeft, wordRight } from './moves.ts'
import { addToHistory, recalled, search } from './recall.ts'
import { type Around, type EditorState, emptyState, insert, type Pressed } from './state.ts'

type Command = (state: EditorState, around: Around) => Pressed
type Move = (text: string, cursor: number) => number

/** What each key does. Keys that are missing here do nothing. */
export const KEY_COMMANDS: Readonly<Record<string, Command>> = {
  enter,
  newline: state => ({ state: insert(state, '\n') }),
  left: moving(charLeft),
  'ctrl-b': moving(charLeft),
  right: moving(charRight),
  'ctrl-f': moving(charRight),
  home: moving(lineStart),
  'ctrl-a': moving(lineStart),
  end: moving(lineEnd),
  'ctrl-e': moving(lineEnd),
  'word-left': moving(wordLeft),
  'alt-b': moving(wordLeft),
  'word-right': moving(wordRight),
  'alt-f': moving(wordRight),
  backspace: deleting(charLeft),
  'ctrl-h': deleting(charLeft),
  delete: deleting(charRight),
  'ctrl-w': cutting(spacedLeft),
  'word-backspace': cutting(wordLeft),
  'word-delete': cutting(wordRight),
  'alt-d': cutting(wordRight),
  'ctrl-k': cutting((text, cursor) => (text[cursor] === '\n' ? cursor + 1 : lineEnd(text, cursor))),
  'ctrl-u': cutting((text, cursor) => (text[cursor - 1] === '\n' ? cursor - 1 : lineStart(text, cursor))),
  'ctrl-y': state => ({ state: insert(state, state.cut) }),
  up: (state, around) => ({ state: vertically(state, around, -1) }),
  down: (state, around) => ({ state: vertically(state, around, 1) }),
  'ctrl-p': state => ({ state: recalled(state, -1) }),
  'ctrl-n': state => ({ state: recalled(state, 1) }),
  'ctrl-r': state => ({ state: search(state) }),
  'ctrl-c': interrupt,
  'ctrl-d': state => (state.text === '' ? { state, act: { type: 'end' } } : deleting(charRight)(state)),
  'ctrl-l': state => ({ state, act: { type: 'clear' } }),
  'ctrl-x': state => ({ state: { ...state, waits: true } }),
  'ctrl-z': state => ({ state, act: { type: 'suspend' } }),
}

/** A backslash at the very end asks for one more line. An empty input is not sent. */
function enter(state: EditorState): Pressed {
  const { text, cursor } = state
  if (text.trim() === '') return { state }
  if (cursor === text.length && text.endsWith('\\')) return { state: { ...state, text: `${text.slice(0, -1)}\n` } }
  return { state: { ...emptyState(addToHistory(state.history, text)), cut: state.cut }, act: { type: 'submit', text } }
}

/** Clears the draft first; Ctrl-Y can bring it back. */
function interrupt(state: EditorState, { isBusy }: Around): Pressed {
  if (isBusy || state.text === '') return { state, act: { type: 'interrupt', text: state.text } }
  return { state: { ...emptyState(state.history), cut: state.text } }
}

function moving(move: Move): (state: EditorState) => Pressed {
  return state => ({ state: { ...state, cursor: move(state.text, state.cursor) } })
}

function deleting(move: Move): (state: EditorState) => Pressed {
  return state => ({ state: without(state, move) })
}

function cutting(move: Move): (state: EditorState) => Pressed {
  return state => {
    const [from, to] = stretch(state, move)
    return { state: from === to ? state : { ...without(state, move), cut: state.text.slice(from, to) } }
  }
}

const stretch = ({ text, cursor }: EditorState, move: Move): [number, number] => {
  const other = move(text, cursor)
  return [Math.min(cursor, other), Math.max(cursor, other)]
}

function without(state: EditorState, move: Move): EditorState {
  const [from, to] = stretch(state, move)
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), cursor: from }
}

/** Moves one screen row up or down. Beyond the first and last rows it walks through the history. */
function vertically(state: EditorState, { width }: Around, by: -1 | 1): EditorState {
  const { text, cursor } = state
  const rows = layout(text, width)
  const at = textRowAt(rows, cursor)
  const [here, there] = [rows[at], rows[at + by]]
  if (here === undefined || there === undefined) return recalled(state, by)
  const goal = state.goal ?? columnAt(text, here, cursor)
  return { ...state, goal, cursor: placeAt(text, there, goal) }
}
