// Completes what was typed when Tab is pressed.
import { graphemesOf } from './graphemes.ts'
import type { Complete, EditorState } from './state.ts'

/** Tab inserts what all choices share. The next Tab shows the choices, and each further one takes the next choice. */
export function complete(state: EditorState, key: 'tab' | 'shift-tab', ask: Complete): EditorState {
  if (state.offer !== undefined) return chosen(state, state.offer, key === 'tab' ? 1 : -1)
  const { text, cursor } = state
  const { from, choices } = ask(text, cursor)
  const typed = text.slice(from, cursor)
  const fill = shared(choices)
  if (choices.length === 0) return state
  const [before, after] = [text.slice(0, from), text.slice(cursor)]
  if (choices.length === 1 || fill.length > typed.length)
    return { ...state, text: before + fill + after, cursor: (before + fill).length }
  return { ...state, offer: { from, choices, chosen: -1, before, after } }
}

function chosen(state: EditorState, offer: NonNullable<EditorState['offer']>, by: 1 | -1): EditorState {
  const { choices, before, after } = offer
  const at = offer.chosen < 0 && by < 0 ? choices.length - 1 : (offer.chosen + by + choices.length) % choices.length
  const begin = before + (choices[at] ?? '')
  return { ...state, text: begin + after, cursor: begin.length, offer: { ...offer, chosen: at } }
}

/** The common beginning of all choices, in whole characters. */
function shared([first = '', ...others]: readonly string[]): string {
  let common = ''
  for (const sign of graphemesOf(first)) {
    if (!others.every(other => other.startsWith(common + sign))) break
    common += sign
  }
  return common
}
