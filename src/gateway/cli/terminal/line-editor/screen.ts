// Keeps the editor's lines at the bottom of the terminal.
import type { Terminal } from '../../output/terminal.ts'
import { clear, draw, drawAbove, erase, redraw } from './draw.ts'
import { drawFrame, type EditorView, NO_FRAME, type ScreenFrame, type ScreenSize } from './frame.ts'

/** The editor's lines at the bottom and the text printed above them. Each change is one write. */
export type EditorScreen = {
  readonly size: () => ScreenSize
  /** Changes what is shown. Parts that are not named stay, and undefined removes a part. */
  readonly show: (change: Change) => void
  readonly above: (text: string, change?: Change) => void
  readonly clear: () => void
  /** Draws again because the terminal has a new width. */
  readonly resized: () => void
  /** Hides the editor's lines. Printed text waits until they are back. */
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
      // Other programs have written here since, so nothing that was drawn is where it was.
      paint((_, after) => (waited ? drawAbove(NO_FRAME, waited, after) : `\r${draw(NO_FRAME, after)}`))
    },
  }
}
