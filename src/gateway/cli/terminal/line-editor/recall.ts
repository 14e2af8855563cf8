// Walks and searches the history of typed lines.
import type { Key } from './keys.ts'
import type { EditorState } from './state.ts'

/** The history with one more line, if it is worth keeping: not an empty one, the same again, or one that begins with a space. */
export const addToHistory = (history: readonly string[], line: string): readonly string[] =>
  line.trim() === '' || line.startsWith(' ') || line === history.at(-1) ? history : [...history, line]

/** The line before or after the one that is shown. What was changed here is found again on the way back. */
export function recalled(state: EditorState, by: -1 | 1): EditorState {
  const place = state.place + by
  if (place < 0 || place > state.history.length) return state
  const kept = new Map(state.kept).set(state.place, state.text)
  const text = kept.get(place) ?? state.history[place] ?? ''
  return { ...state, text, cursor: text.length, place, kept }
}

/** Begins to search. */
export const search = (state: EditorState): EditorState => ({
  ...state,
  search: { query: '', found: undefined, draft: state.text },
})

type Search = NonNullable<EditorState['search']>

/** One key within a search; undefined when the key ends it and means what it always does. */
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
      // Only taken over: what it says may be long ago, and is looked at once more before it is sent.
      return ended
    default:
      return undefined
  }
}

/** The nearest line at or before a place that has the words in it; without one, the last that was found stays. */
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
