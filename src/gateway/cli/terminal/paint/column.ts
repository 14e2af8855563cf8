// One voice's column in a wide terminal.
import { stripVTControlCharacters } from 'node:util'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import { fitted, widthOf } from '../../output/width.ts'
import { createLinePainter } from './lines.ts'
import { createPainter } from './painter.ts'
import { shadeOf } from './shade.ts'
import { BOLD, DIM, dyed, nestedStyle, type Style } from './style.ts'

export type ColumnVoice = { readonly id: string; readonly name: string; readonly color?: string }

/** How a voice ended, with `words` about it: what went wrong, or tokens and cost. */
export type ColumnEnd = { readonly state: 'done' | 'failed' | 'stopped'; readonly words?: string }

/** The words of one voice, in lines that fit its column. */
export type VoiceColumn = {
  readonly write: (text: string) => void
  readonly settle: (end: ColumnEnd) => void
  readonly isSettled: () => boolean
  readonly resize: (width: number) => void
  /** The name, the last lines of the text up to this many, and how it ended. */
  readonly lines: (most?: number) => readonly string[]
}

export function createColumn({ name, color: hex }: ColumnVoice, columns: number, color: boolean): VoiceColumn {
  let said = ''
  let width = columns
  let painter = createPainter({ columns: width, color })
  let painted: string[] = ['']
  let end: ColumnEnd | undefined

  const add = (text: string): void => {
    const [first = '', ...others] = text.split('\n')
    painted.push(`${painted.pop() ?? ''}${first}`, ...others)
  }
  const body = (): readonly string[] => (painted.at(-1) === '' ? painted.slice(0, -1) : painted)
  return {
    write: text => {
      said += text
      add(painter.write(text))
    },
    settle: how => {
      end = how
      add(painter.end())
    },
    isSettled: () => end !== undefined,
    resize: columns => {
      width = columns
      painter = createPainter({ columns: width, color })
      painted = ['']
      add(painter.write(said) + (end === undefined ? '' : painter.end()))
    },
    lines: most => {
      const head = dyed({ text: fitted(escapeToOneLine(name), width), style: nestedStyle(BOLD, shadeOf(hex)) }, color)
      const foot = footLines(end, width, color)
      const text = body()
      if (most === undefined) return [head, ...text, ...foot]
      return [head, ...text.slice(Math.max(0, text.length - most)), ...foot.slice(0, 1)]
    },
  }
}

const SIGNS = { done: ['✓ done', DIM], failed: ['✗', '31'], stopped: ['■ stopped', DIM] } as const

function footLines(end: ColumnEnd | undefined, columns: number, color: boolean): readonly string[] {
  const [sign, style]: readonly [string, Style] = end === undefined ? ['…', DIM] : SIGNS[end.state]
  const words = escapeToOneLine(end?.words ?? (end?.state === 'failed' ? 'failed' : ''))
  const lines = createLinePainter({ columns, color })
  lines.begin({ first: [], rest: [] })
  lines.words(words === '' ? sign : `${sign}${end?.state === 'failed' ? ' ' : ' · '}${words}`, style)
  return lines.close().trimEnd().split('\n')
}

/** The width of a painted line in columns. */
export const paintedWidth = (line: string): number => widthOf(stripVTControlCharacters(line))
