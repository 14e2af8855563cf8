// What a chat prints above the line being typed.
import type { Editor } from '../terminal/line-editor/editor.ts'

/** The text above the line being typed. Its last line may still grow. */
export type ChatScreen = {
  /** Continues where the last text ended. */
  readonly write: (text: string) => void
  /** Prints separate lines, after ending the line that was growing. */
  readonly lines: (...lines: readonly string[]) => void
  /** Prints notes from Turnwise between the lines of others. The line that was growing continues below them. */
  readonly between: (...lines: readonly string[]) => void
  /** Prints an empty line unless the last line is empty. */
  readonly gap: () => void
  /** Tells the screen that another part of the program has printed a line. */
  readonly passed: () => void
  readonly endLine: () => void
  /** Shows rows below the text that will still change. */
  readonly live: (rows: readonly string[]) => void
  readonly columns: () => number
}

export function createChatScreen(editor: Pick<Editor, 'above' | 'live' | 'columns'>): ChatScreen {
  let growing = ''
  let changing: readonly string[] = []
  let isGap = true
  const above = (text: string): void => {
    isGap = /(^|\n)$/.test(text.replace(/\n$/, ''))
    editor.above(text)
  }
  const show = (): void => {
    const rows = [...(growing === '' ? [] : [growing]), ...changing]
    editor.live(rows.length === 0 ? undefined : rows.join('\n'))
  }
  const endLine = (): void => {
    if (growing === '') return
    const line = growing
    growing = ''
    above(line)
    show()
  }
  return {
    write: text => {
      if (text === '') return
      const all = growing + text
      const end = all.lastIndexOf('\n') + 1
      growing = all.slice(end)
      if (end > 0) above(all.slice(0, end))
      show()
    },
    lines: (...lines) => {
      endLine()
      if (lines.length > 0) above(`${lines.join('\n')}\n`)
    },
    between: (...lines) => {
      if (lines.length > 0) above(`${lines.join('\n')}\n`)
    },
    gap: () => {
      endLine()
      if (!isGap) above('\n')
    },
    passed: () => {
      isGap = false
    },
    endLine,
    live: rows => {
      changing = rows
      show()
    },
    columns: editor.columns,
  }
}
