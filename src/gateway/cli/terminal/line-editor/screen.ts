// Keeps the editor's lines at the bottom of the terminal.
import type { Terminal } from '../../output/terminal.ts'
import { clear, draw, drawAbove, erase, redraw } from './draw.ts'
import { drawFrame, type EditorView, NO_FRAME, type ScreenFrame, type ScreenSize } from './frame.ts'

/** The lines at the bottom that are ours, and what was printed above them. Each change is one write. */
export type EditorScreen = {
  readonly size: () => ScreenSize
  /** Changes what is seen; what is not named stays as it is, and undefined takes it away. */
  readonly show: (change: Change) => void
  readonly above: (text: string, change?: Change) => void
  readonly clear: () => void
  /** The terminal has another width. */
  readonly resized: () => void
  /** Takes our lines away; until they are back, what is printed waits. */
  readonly hide: () => void
  readonly back: () => void
}

export type Change = { readonly [Part in keyof EditorView]?: EditorView[Part] | undefined }

export function createEditorScreen(stdout: Terminal['stdout']): EditorScreen {
  let view: EditorView = {}
  let frame: ScreenFrame = NO_FRAME
  let held: string | undefined
  const size = (): ScreenSize => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const write = (next: ScreenFrame, text: string): void => {
    frame = next
    if (text !== '') stdout.write(text)
  }
  const changeBy = (change: Change): void => {
    const merged = { ...view, ...change }
    view = Object.fromEntries(Object.entries(merged).filter(([, part]) => part !== undefined))
  }
  const paint = (by: (before: ScreenFrame, after: ScreenFrame) => string): void => {
    if (held !== undefined) return
    const next = drawFrame(view, size())
    write(next, by(frame, next))
  }
  return {
    size,
    show: change => {
      changeBy(change)
      paint(draw)
    },
    above: (text, change = {}) => {
      changeBy(change)
      const lines = text.endsWith('\n') ? text : `${text}\n`
      if (held !== undefined) held += lines
      else paint((before, after) => drawAbove(before, lines, after))
    },
    clear: () => paint((_, after) => clear(after)),
    resized: () => paint((before, after) => redraw(before, size().columns, after)),
    hide: () => {
      if (held !== undefined) return
      held = ''
      write(NO_FRAME, erase(frame))
    },
    back: () => {
      const waited = held
      held = undefined
      // Others have written here since, so nothing of what we drew is where it was.
      paint((_, after) => (waited ? drawAbove(NO_FRAME, waited, after) : `\r${draw(NO_FRAME, after)}`))
    },
  }
}
