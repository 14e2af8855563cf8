// Walks and searches the history of typed lines.
import type { Key } from './keys.ts'
import type { EditorState } from './state.ts'

/** Adds a line to the history, unless it is empty, a repetition, or begins with a space. */
export const addToHistory = (history: readonly string[], line: string): readonly string[] =>
  line.trim() === '' || line.startsWith(' ') || line === history.at(-1) ? history : [...history, line]

/** The line before or after the one shown. Changes to a recalled line are kept for the way back. */
export function recalled(state: EditorState, by: -1 | 1): EditorState {
  const place = state.place + by
  if (place < 0 || place > state.history.length) return state
  const kept = new Map(state.kept).set(state.place, state.text)
  const text = kept.get(place) ?? state.history[place] ?? ''
  return { ...state, text, cursor: text.length, place, kept }
}

/** Starts a search. */
export const search = (state: EditorState): EditorState => ({
  ...state,
  search: { query: '', found: undefined, draft: state.text },
})

type Search = NonNullable<EditorState['search']>

/** Handles one key within a search; undefined when the key ends the search and keeps its usual meaning. */
export function searching(state: EditorState, current: Search, key: Key): EditorState | undefined {
  const { query, found } = current
  if (key.type === 'text') return looked(state, { ...current, query: query + key.text }, found ?? state.history.length - 1)
  if (key.type === 'paste') return undefined
  const { search: _, ...ended } = state
  switch (key.name) {
    case 'ctrl-r':
      return looked(state, current, (found ?? state.history.length) - 1)
    case 'backspace':
    case 'ctrl-h':
      return looked(state, { ...current, query: [...query].slice(0, -1).join('') }, state.history.length - 1)
    case 'ctrl-c':
    case 'ctrl-g':
    case 'escape':
      return { ...ended, text: current.draft, cursor: current.draft.length }
    case 'enter':
      // Only takes the line over. It may be old, so the person checks it before sending.
      return ended
    default:
      return undefined
  }
}

/** The nearest line at or before a position that contains the words. If there is none, the last match stays. */
function looked(state: EditorState, current: Search, from: number): EditorState {
  const { query } = current
  if (query === '')
    return { ...state, text: current.draft, cursor: current.draft.length, search: { ...current, found: undefined } }
  const wanted = query.toLowerCase()
  const found = state.history.findLastIndex((line, place) => place <= from && line.toLowerCase().includes(wanted))
  if (found < 0) return { ...state, search: current, notice: `nothing earlier has "${query}" in it` }
  const text = state.history[found] ?? ''
  return { ...state, text, cursor: Math.max(0, text.toLowerCase().indexOf(wanted)), search: { ...current, found } }
}
