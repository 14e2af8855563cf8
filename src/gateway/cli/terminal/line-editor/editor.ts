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

/** The result of reading: a line to send, or something else to do. */
export type EditorEvent =
  | { readonly type: 'submit'; readonly text: string }
  /** Ctrl-C on an empty line, or on any line while an answer is running. `text` keeps the draft, if there is one. */
  | { readonly type: 'interrupt'; readonly text: string }
  /** Ctrl-D on an empty line, or the terminal is gone. */
  | { readonly type: 'end' }
  /** Ctrl-X Ctrl-E: the person wants to write the draft in an editor; see `editOutside` in external.ts. */
  | { readonly type: 'external'; readonly text: string }

export type ReadLineOptions = {
  /** May contain styles; must already be escaped. */
  readonly prompt?: string
  /** A draft to begin with, for example after an interrupt or an editor. */
  readonly initial?: string
}

/** The line a person types on and the few lines around it. Everything above them belongs to the terminal. */
export type Editor = {
  /** Shows the prompt and reads one submission. It never rejects. The other methods may be called while it waits. */
  readonly read: (options?: ReadLineOptions) => Promise<EditorEvent>
  /** Prints lines above, permanently. The text may contain styles and must already be escaped. Adds a missing last line end. */
  readonly above: (text: string) => void
  /**
   * Lines between the printed text and the prompt that may still change, like the end of a running answer; undefined removes
   * them.
   */
  readonly live: (text: string | undefined) => void
  /** One line below the input; undefined removes it. */
  readonly footer: (line: string | undefined) => void
  /**
   * Asks for one key of a fixed set, like y, s, a or n, and keeps typed text aside. Returns undefined when the signal withdraws
   * the question, and on Ctrl-C, which then also interrupts a waiting `read`. Questions wait for each other.
   */
  readonly key: (question: string, keys: readonly string[], signal: AbortSignal) => Promise<string | undefined>
  readonly columns: () => number
  /** Calls back after the terminal got a new size. The returned function stops that. */
  readonly onResize: (listener: () => void) => () => void
  /** Lends the terminal to another program until the work is done. Output that is printed meanwhile appears afterwards. */
  readonly away: <Value>(work: () => Promise<Value>) => Promise<Value>
  /** Releases the terminal for good. A waiting `read` ends with `end`. */
  readonly close: () => void
}

export type EditorOptions = {
  /** Oldest first. */
  readonly history: readonly string[]
  readonly complete: Complete
  /** Receives each new line that is worth keeping. */
  readonly onHistory?: (line: string) => void
  /** While this returns true, Ctrl-C interrupts even when the person has typed something, and keeps the draft. */
  readonly isBusy?: () => boolean
  /**
   * Called for a Ctrl-C that comes while no `read` waits; returns whether it used it. An unused one waits for the next `read`.
   */
  readonly takesInterrupt?: () => boolean
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Whether lines can be edited here. If not, they are read as in lines.ts. */
export const canEdit = ({ stdin, stdout, environment }: Terminal): boolean =>
  stdin.isTTY === true && stdout.isTTY === true && stdin.setRawMode !== undefined && environment.TERM !== 'dumb'

/** A person in the middle of a word did not mean to answer a question that just appeared. */
const PAUSE_MS = 700

/** Splits text that arrived at once into single keys. */
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
  /** Keys that came while no `read` waited, as right after a submission. */
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
      // A line end right after an answer belongs to the answer, not to the draft that was kept aside.
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

  /** Ends a `read`. Updates the screen before it resolves. A submitted text stays on the screen. */
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

  // The keyboard notices when the terminal has hung up. Output to it is then lost without an error.
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
