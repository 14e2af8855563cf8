// Switches the terminal to raw mode and back.
import type { Terminal } from '../../output/terminal.ts'

/** A terminal that tells every key and marks what was pasted. It is given back whatever becomes of us. */
export type RawMode = {
  readonly enter: () => void
  readonly leave: () => void
  /** Stops this program and all it was started with, as Ctrl-Z does elsewhere; comes back when a shell wakes it. */
  readonly suspend: () => void
}

/** Pastes come in brackets, and keys with what was held with them; a terminal that does not know this ignores it. */
const ASKED = '\x1b[?2004h\x1b[>1u'
const TAKEN_BACK = '\x1b[?2004l\x1b[<u'

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
type Ending = (typeof ENDINGS)[number]

/** Where nothing can stop us, as without a shell above, we are awake again after this. */
const NOT_STOPPED_MS = 100

export function createRawMode({ stdin, stdout }: Terminal, onAwake: () => void): RawMode {
  let isRaw = false
  const setRaw = (raw: boolean): void => {
    // A terminal that is gone cannot be asked for anything, and there is nothing to give back.
    try {
      stdin.setRawMode?.(raw)
      stdout.write(raw ? ASKED : TAKEN_BACK)
    } catch {}
  }
  const enter = (): void => {
    if (isRaw) return
    isRaw = true
    setRaw(true)
    process.on('exit', leave)
    process.on('uncaughtExceptionMonitor', leave)
    process.on('SIGCONT', awake)
    for (const name of ENDINGS) process.on(name, end)
  }
  const leave = (): void => {
    if (!isRaw) return
    isRaw = false
    process.off('exit', leave)
    process.off('uncaughtExceptionMonitor', leave)
    process.off('SIGCONT', awake)
    for (const name of ENDINGS) process.off(name, end)
    setRaw(false)
  }
  /** Whoever else listens decides what a signal means; alone, it means what it always did. */
  const end = (name: Ending): void => {
    if (process.listenerCount(name) > 1) return
    leave()
    process.kill(process.pid, name)
  }
  /** Whoever ran meanwhile may have changed the terminal: it is taken anew. */
  const awake = (): void => {
    leave()
    enter()
    onAwake()
  }
  const suspend = (): void => {
    leave()
    let isBack = false
    const back = (): void => {
      if (isBack) return
      isBack = true
      process.off('SIGCONT', back)
      enter()
      onAwake()
    }
    process.on('SIGCONT', back)
    process.kill(0, 'SIGTSTP')
    setTimeout(back, NOT_STOPPED_MS)
  }
  return { enter, leave, suspend }
}
