import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Escape, escapesIn } from './escapes.ts'
import { openScreen } from './screen.ts'

type NodePty = typeof import('@lydell/node-pty')

/** The library has a part for each machine; where there is none, its tests are left out with one line that says so. */
const loaded: NodePty | string = await import('@lydell/node-pty').then(
  ({ default: library }) => library as unknown as NodePty,
  (cause: unknown) => `no pseudo-terminal here: ${String(cause).split('\n')[0]}`,
)

/** Options of a test that needs a pseudo-terminal: `test('…', NEEDS_PTY, async t => …)`. */
export const NEEDS_PTY: { readonly skip: string | false } = { skip: typeof loaded === 'string' ? loaded : false }

const KEYS = {
  Enter: '\r',
  'Alt-Enter': '\x1b\r',
  'Shift-Enter': '\x1b[13;2u',
  Tab: '\t',
  'Shift-Tab': '\x1b[Z',
  Escape: '\x1b',
  Backspace: '\x7f',
  'Alt-Backspace': '\x1b\x7f',
  Delete: '\x1b[3~',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
} as const

export type KeyName = keyof typeof KEYS | `Ctrl-${string}` | `Alt-${string}`

const bytesOf = (name: KeyName): string => {
  if (Object.hasOwn(KEYS, name)) return KEYS[name as keyof typeof KEYS]
  const letter = name.slice(-1)
  return name.startsWith('Ctrl-') ? String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 31) : `\x1b${letter.toLowerCase()}`
}

/** A program in a terminal of its own, seen and typed into as a person would. */
export type Pty = {
  readonly pid: number
  /** The rows that are seen now, without spaces at their ends and without empty rows below. */
  readonly screen: () => readonly string[]
  /** The same with everything that has scrolled away. */
  readonly scrollback: () => readonly string[]
  /** Everything the program has written. */
  readonly raw: () => string
  /** Every escape sequence it has written. */
  readonly escapes: () => readonly Escape[]
  /** Every title it has set. */
  readonly titles: () => readonly string[]
  /** Where the cursor is on the screen, both from 0. */
  readonly cursor: () => { readonly row: number; readonly column: number }
  readonly type: (text: string) => void
  /** In brackets, as a terminal sends what was pasted. */
  readonly paste: (text: string) => void
  readonly press: (...keys: readonly KeyName[]) => void
  readonly resize: (columns: number, rows: number) => void
  /** When the screen shows this; or it throws with what is there instead. */
  readonly waitFor: (wanted: string | RegExp | ((screen: string) => boolean), deadlineMs?: number) => Promise<void>
  readonly kill: (signal?: string) => void
  readonly exit: Promise<{ readonly code: number; readonly signal: number }>
}

export type PtyOptions = {
  readonly env: NodeJS.ProcessEnv
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
}

/** Generous, since machines are busy; a test that passes never waits for it. */
const DEADLINE_MS = 30_000

/** Ended with the test at the latest. */
export function startInPty(t: TestContext, command: string, args: readonly string[], options: PtyOptions): Pty {
  if (typeof loaded === 'string') throw new Error(loaded)
  const { env, columns = 80, rows = 24, cwd = join(import.meta.dirname, '../../..') } = options
  const child = loaded.spawn(command, [...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
  })
  const screen = openScreen(columns, rows)
  let raw = ''
  let isOver = false
  const changed = new EventTarget()
  child.onData(text => {
    raw += text
    screen.write(text, () => changed.dispatchEvent(new Event('change')))
  })
  const exit = new Promise<{ code: number; signal: number }>(resolve => {
    child.onExit(({ exitCode, signal = 0 }) => {
      // Only when its last words are on the screen.
      screen.write('', () => {
        isOver = true
        changed.dispatchEvent(new Event('change'))
        resolve({ code: exitCode, signal })
      })
    })
  })
  t.after(async () => {
    if (!isOver) child.kill('SIGKILL')
    await exit
    screen.close()
  })
  const write = (text: string): void => child.write(text)
  return {
    pid: child.pid,
    screen: screen.rows,
    scrollback: screen.all,
    raw: () => raw,
    escapes: () => escapesIn(raw),
    titles: screen.titles,
    cursor: screen.cursor,
    type: write,
    paste: text => write(`\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`),
    press: (...keys) => {
      for (const key of keys) write(bytesOf(key))
    },
    resize: (width, height) => {
      screen.resize(width, height)
      child.resize(width, height)
    },
    waitFor: (wanted, deadlineMs = DEADLINE_MS) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const isThere = (): boolean => {
        const text = screen.rows().join('\n')
        return typeof wanted === 'function'
          ? wanted(text)
          : typeof wanted === 'string'
            ? text.includes(wanted)
            : wanted.test(text)
      }
      const fail = (why: string): void =>
        reject(new Error(`${why} before the screen showed ${String(wanted)}:\n${screen.rows().join('\n')}`))
      const timer = setTimeout(() => fail(`${deadlineMs} ms passed`), deadlineMs)
      const look = (): void => {
        if (isThere()) resolve()
        else if (isOver) fail('it ended')
      }
      changed.addEventListener('change', look)
      look()
      return promise.finally(() => {
        clearTimeout(timer)
        changed.removeEventListener('change', look)
      })
    },
    kill: signal => child.kill(signal),
    exit,
  }
}

/** `turnwise …`, as a person would start it. */
export const turnwiseInPty = (t: TestContext, args: readonly string[], options: PtyOptions): Pty =>
  startInPty(t, join(import.meta.dirname, '../../../bin/turnwise'), args, options)
