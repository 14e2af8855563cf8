import { decode, flush, NOTHING_HELD } from '../../../../../src/gateway/cli/terminal/line-editor/keys.ts'
import { press } from '../../../../../src/gateway/cli/terminal/line-editor/press.ts'
import {
  type Act,
  type Complete,
  type EditorState,
  emptyState,
} from '../../../../../src/gateway/cli/terminal/line-editor/state.ts'

export type Typing = {
  readonly history?: readonly string[]
  readonly width?: number
  readonly complete?: Complete
  readonly isBusy?: boolean
}

export type Typed = { readonly state: EditorState; readonly acts: readonly Act[]; readonly shown: string }

/** What comes of bytes from a keyboard; `shown` is the text with `|` where the cursor is. */
export function typed(bytes: string, { history = [], width = 80, complete, isBusy = false }: Typing = {}): Typed {
  const around = { width, complete: complete ?? ((_: string, cursor: number) => ({ from: cursor, choices: [] })), isBusy }
  const { decoding, keys } = decode(NOTHING_HELD, bytes)
  let state = emptyState(history)
  const acts: Act[] = []
  for (const key of [...keys, ...flush(decoding).keys]) {
    const pressed = press(state, key, around)
    state = pressed.state
    if (pressed.act !== undefined) acts.push(pressed.act)
  }
  return { state, acts, shown: `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}` }
}
