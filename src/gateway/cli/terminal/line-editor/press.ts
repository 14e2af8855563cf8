// Applies one key press to the editor's state.
import { KEY_COMMANDS } from './commands.ts'
import { complete } from './complete.ts'
import type { Key } from './keys.ts'
import { searching } from './recall.ts'
import { type Around, type EditorState, insert, type Pressed, pasted } from './state.ts'

/**
 * Returns the state after one key. First removes what lasts only until the next key: a notice, a search, an offer, a target
 * column.
 */
export function press(before: EditorState, key: Key, around: Around): Pressed {
  const { notice: _notice, waits, ...state } = before
  const searched = state.search === undefined ? undefined : searching(state, state.search, key)
  if (searched !== undefined) return { state: searched }
  const { search: _search, ...unsearched } = state
  const { offer: _offer, ...moving } = unsearched
  const { goal: _goal, ...rest } = moving
  if (key.type !== 'key') return { state: insert(rest, key.type === 'paste' ? pasted(key.text) : key.text) }
  const { name } = key
  if (waits === true) return name === 'ctrl-e' ? { state: rest, act: { type: 'external', text: rest.text } } : { state: rest }
  if (name === 'tab' || name === 'shift-tab') return { state: complete(unsearched, name, around.complete) }
  const command = KEY_COMMANDS[name]
  return command === undefined ? { state: rest } : command(name === 'up' || name === 'down' ? moving : rest, around)
}
