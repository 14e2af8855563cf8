// What a chat prints above the line being typed.
import type { Editor } from '../terminal/line-editor/editor.ts'

/** What stands above the line that is being typed; its last line may still be growing. */
export type ChatScreen = {
  /** Goes on where the last text ended. */
  readonly write: (text: string) => void
  /** Lines of their own; what was growing is ended first. */
  readonly lines: (...lines: readonly string[]) => void
  /** Lines of the house, between those of others: what is growing goes on under them. */
  readonly between: (...lines: readonly string[]) => void
  /** An empty line, unless there is one. */
  readonly gap: () => void
  /** Somebody else has printed a line. */
  readonly passed: () => void
  readonly endLine: () => void
  /** Rows under all of it that will change; nothing takes them away. */
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
