import xterm from '@xterm/headless'
import { widthOf } from '../../../src/gateway/cli/output/width.ts'

/** A terminal's screen without a terminal: what bytes would look like. */
export type TestScreen = {
  readonly write: (text: string, done: () => void) => void
  /** What is seen, without spaces at the ends of rows and without empty rows below. */
  readonly rows: () => readonly string[]
  /** With everything that has scrolled away. */
  readonly all: () => readonly string[]
  readonly cursor: () => { readonly row: number; readonly column: number }
  readonly titles: () => readonly string[]
  readonly resize: (columns: number, rows: number) => void
  readonly close: () => void
}

export function openScreen(columns: number, rows: number): TestScreen {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 })
  terminal.unicode.register(SIGNS)
  terminal.unicode.activeVersion = SIGNS.version
  const titles: string[] = []
  terminal.onTitleChange(title => titles.push(title))
  const linesFrom = (first: number): readonly string[] => {
    const { active } = terminal.buffer
    const lines = Array.from(
      { length: active.length - first },
      (_, index) =>
        active
          .getLine(first + index)
          ?.translateToString(true)
          .trimEnd() ?? '',
    )
    return lines.slice(0, lines.findLastIndex(line => line !== '') + 1)
  }
  return {
    write: (text, done) => terminal.write(text, done),
    rows: () => linesFrom(terminal.buffer.active.baseY),
    all: () => linesFrom(0),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    titles: () => titles,
    resize: (width, height) => terminal.resize(width, height),
    close: () => terminal.dispose(),
  }
}

const isMark = (sign: string): boolean => /^[\p{M}\p{Cf}\p{Emoji_Modifier}]/u.test(sign)
const isHalfFlag = (sign: string): boolean => /^\p{Regional_Indicator}/u.test(sign)
const AFTER_JOINER = 1
const AFTER_HALF_FLAG = 2

/** Signs as terminals of today join them: marks and joiners with what is before them, and two letters to a flag. */
const SIGNS: Parameters<InstanceType<typeof xterm.Terminal>['unicode']['register']>[0] = {
  version: 'signs',
  wcwidth: code => Math.min(2, widthOf(String.fromCodePoint(code))) as 0 | 1 | 2,
  charProperties: (code, preceding) => {
    const sign = String.fromCodePoint(code)
    const before = preceding >> 3
    const completesFlag = isHalfFlag(sign) && before === AFTER_HALF_FLAG
    const joins = preceding !== 0 && (isMark(sign) || before === AFTER_JOINER || completesFlag)
    const own = joins && isMark(sign) ? 0 : Math.min(2, widthOf(sign))
    const width = joins ? Math.max((preceding >> 1) & 3, own, sign === '\ufe0f' ? 2 : 0) : own
    const state = sign === '\u200d' ? AFTER_JOINER : isHalfFlag(sign) && !completesFlag ? AFTER_HALF_FLAG : 0
    return (state << 3) | (width << 1) | (joins ? 1 : 0)
  },
}
