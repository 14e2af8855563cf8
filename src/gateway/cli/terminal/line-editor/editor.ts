// Reads lines from a person in a terminal.
import type { Terminal } from '../../output/terminal.ts'
import { beside, inputRows } from './frame.ts'
import { graphemesOf } from './graphemes.ts'
import { createKeyboard } from './keyboard.ts'
import type { Key } from './keys.ts'
import { press } from './press.ts'
import { createRawMode } from './raw-mode.ts'
import { type Change, createEditorScreen } from './screen.ts'
import { type Complete, emptyState, insert, pasted } from './state.ts'

/** What came of reading: something to say, or something to do. */
export type EditorEvent =
  | { readonly type: 'submit'; readonly text: string }
  /** Ctrl-C on an empty line, or on any while the house is busy; the draft, if there is one, is in `text` and is not lost. */
  | { readonly type: 'interrupt'; readonly text: string }
  /** Ctrl-D on an empty line, or nobody is there any more. */
  | { readonly type: 'end' }
  /** Ctrl-X Ctrl-E: the draft is to be written in an editor; see `editOutside` in external.ts. */
  | { readonly type: 'external'; readonly text: string }

export type ReadLineOptions = {
  /** May be coloured; harmless already. */
  readonly prompt?: string
  /** A draft to begin with, as after an interrupt or an editor. */
  readonly initial?: string
}

/** The line a person types on, and the few lines around it; everything above them belongs to the terminal. */
export type Editor = {
  /** Shows the prompt and reads one submission; it never rejects. While it waits, everything else here may be called. */
  readonly read: (options?: ReadLineOptions) => Promise<EditorEvent>
  /** Prints lines above, for good. The text may be coloured and must be harmless already; a last line end is added if it is missing. */
  readonly above: (text: string) => void
  /** Lines between what was printed and the prompt that may still change, like an answer's unfinished end; undefined takes them away. */
  readonly live: (text: string | undefined) => void
  /** One line under the input; undefined takes it away. */
  readonly footer: (line: string | undefined) => void
  /**
   * One key of a closed set, like y, s, a or n; typed text is kept aside. Undefined when the signal takes the question
   * back, and on Ctrl-C, which then also interrupts a `read` that waits. Questions wait for each other.
   */
  readonly key: (question: string, keys: readonly string[], signal: AbortSignal) => Promise<string | undefined>
  readonly columns: () => number
  /** Calls back after the terminal has another size; what it returns stops that. */
  readonly onResize: (listener: () => void) => () => void
  /** Gives the terminal to somebody else until the work is done. What is printed meanwhile appears afterwards. */
  readonly away: <Value>(work: () => Promise<Value>) => Promise<Value>
  /** Gives the terminal back for good; a `read` that waits ends with `end`. */
  readonly close: () => void
}

export type EditorOptions = {
  /** Oldest first. */
  readonly history: readonly string[]
  readonly complete: Complete
  /** Hears of each new line that is worth keeping. */
  readonly onHistory?: (line: string) => void
  /** While this is so, Ctrl-C interrupts also when something is typed, and leaves it there. */
  readonly isBusy?: () => boolean
  /** Hears a Ctrl-C that comes while nobody reads, and says whether it was meant for it; any other waits for the next `read`. */
  readonly takesInterrupt?: () => boolean
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/** Whether lines can be edited here at all; where not, they are read as in lines.ts. */
export const canEdit = ({ stdin, stdout, environment }: Terminal): boolean =>
  stdin.isTTY === true && stdout.isTTY === true && stdin.setRawMode !== undefined && environment.TERM !== 'dumb'

/** Somebody in the middle of a word did not mean to answer a question that just appeared. */
const PAUSE_MS = 700

/** Words that came at once were typed as one key after the other. */
const oneByOne = (key: Key): readonly Key[] =>
  key.type === 'text' ? graphemesOf(key.text).map(text => ({ type: 'text', text })) : [key]

type Reading = { readonly prompt: string; readonly resolve: (event: EditorEvent) => void }
type Question = { readonly keys: readonly string[]; readonly settle: (key: string | undefined) => void }

export function createEditor(terminal: Terminal, options: EditorOptions): Editor {
  const { stdin, stdout } = terminal
  const now = options.now ?? (() => performance.now())
  const screen = createEditorScreen(stdout)
  const rawMode = createRawMode(terminal, screen.back)
  const keyboard = createKeyboard(stdin, hear, () => finish({ type: 'end' }))
  const listeners = new Set<() => void>()
  let isOpen = true
  let state = emptyState(options.history)
  let reading: Reading | undefined
  let question: Question | undefined
  let questions: Promise<unknown> = Promise.resolve()
  /** Keys that came while nobody read, as in the moment after a submission. */
  let early: readonly Key[] = []
  let typedAt = Number.NEGATIVE_INFINITY
  let answeredAt = Number.NEGATIVE_INFINITY

  const columns = (): number => screen.size().columns
  const input = (): Change['input'] => (reading === undefined ? undefined : { prompt: reading.prompt, state })
  const isRecent = (at: number): boolean => now() - at < PAUSE_MS

  function hear(keys: readonly Key[]): void {
    for (const key of question === undefined ? keys : keys.flatMap(oneByOne)) {
      if (question !== undefined && !(isRecent(typedAt) && state.text !== '')) answer(question, key)
      else if (reading === undefined) early = isTaken(key) ? early : [...early, key]
      // A line end right behind an answer belongs to the answer, not to the draft that was kept aside.
      else if (!(isRecent(answeredAt) && key.type === 'key' && key.name === 'enter')) edit(reading, key)
    }
    screen.show({ input: input() })
  }

  const isTaken = (key: Key): boolean => key.type === 'key' && key.name === 'ctrl-c' && options.takesInterrupt?.() === true

  function answer({ keys, settle }: Question, key: Key): void {
    if (key.type === 'text') {
      const wanted = keys.find(one => one.toLowerCase() === key.text.toLowerCase())
      if (wanted === undefined) return
      answeredAt = now()
      settle(wanted)
    } else if (key.type === 'key' && key.name === 'ctrl-c') {
      settle(undefined)
      finish({ type: 'interrupt', text: state.text })
    } else if (key.type === 'key' && key.name === 'ctrl-z') suspend()
  }

  function edit({ prompt }: Reading, key: Key): void {
    answeredAt = Number.NEGATIVE_INFINITY
    typedAt = now()
    const { history } = state
    const { width } = beside(prompt, columns())
    const { state: next, act } = press(state, key, { width, complete: options.complete, isBusy: options.isBusy?.() ?? false })
    state = next
    if (act?.type === 'submit' && next.history !== history) options.onHistory?.(act.text)
    if (act?.type === 'clear') screen.clear()
    else if (act?.type === 'suspend') suspend()
    else if (act !== undefined) finish(act, act.type === 'submit' ? inputRows(act.text, prompt, columns()) : [])
  }

  /** Ends a `read`; whoever waited hears of it when the screen is as it should be. What was submitted stays on it. */
  function finish(event: EditorEvent, kept: readonly string[] = []): void {
    const ended = reading
    reading = undefined
    typedAt = Number.NEGATIVE_INFINITY
    if (kept.length > 0) screen.above(kept.join('\n'), { input: undefined })
    else screen.show({ input: undefined })
    ended?.resolve(event)
  }

  function suspend(): void {
    screen.hide()
    rawMode.suspend()
  }

  function resize(): void {
    screen.resized()
    for (const listener of listeners) listener()
  }

  async function ask(words: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    if (!isOpen || signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const takeBack = (): void => resolve(undefined)
    question = { keys, settle: resolve }
    signal.addEventListener('abort', takeBack)
    screen.show({ question: words })
    const key = await promise
    signal.removeEventListener('abort', takeBack)
    question = undefined
    screen.show({ question: undefined })
    return key
  }

  // A terminal that was hung up is noticed by the keyboard; what is still written to it goes nowhere.
  stdout.on('error', () => undefined)
  stdout.on('resize', resize)
  rawMode.enter()
  keyboard.start()
  return {
    read: ({ prompt = '> ', initial } = {}) => {
      const { promise, resolve } = Promise.withResolvers<EditorEvent>()
      if (!isOpen || reading !== undefined) resolve({ type: 'end' })
      else {
        reading = { prompt, resolve }
        if (initial !== undefined) state = insert({ ...state, text: '', cursor: 0 }, pasted(initial))
        const waited = early
        early = []
        hear(waited)
      }
      return promise
    },
    above: text => (isOpen ? screen.above(text) : void stdout.write(text.endsWith('\n') ? text : `${text}\n`)),
    live: text => screen.show({ live: text }),
    footer: line => screen.show({ footer: line }),
    key: (words, keys, signal) => {
      const asked = questions.then(() => ask(words, keys, signal))
      questions = asked
      return asked
    },
    columns,
    onResize: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    away: async work => {
      screen.hide()
      keyboard.stop()
      rawMode.leave()
      try {
        return await work()
      } finally {
        if (isOpen) {
          rawMode.enter()
          keyboard.start()
          screen.back()
        }
      }
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      stdout.off('resize', resize)
      question?.settle(undefined)
      screen.hide()
      finish({ type: 'end' })
      keyboard.stop()
      rawMode.leave()
    },
  }
}
