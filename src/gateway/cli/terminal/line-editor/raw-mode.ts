// Switches the terminal to raw mode and back.
import type { Terminal } from '../../output/terminal.ts'

/** A terminal that reports every key and marks pasted text. It is restored however the process ends. */
export type RawMode = {
  readonly enter: () => void
  readonly leave: () => void
  /** Stops the whole process group, as Ctrl-Z does elsewhere. Returns when a shell wakes it. */
  readonly suspend: () => void
}

/** Asks for bracketed pastes and for keys with their modifiers. A terminal that does not know these codes ignores them. */
const ASKED = '\x1b[?2004h\x1b[>1u'
const TAKEN_BACK = '\x1b[?2004l\x1b[<u'

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
type Ending = (typeof ENDINGS)[number]

/** If the process cannot be stopped, for example without a parent shell, it continues after this time. */
const NOT_STOPPED_MS = 100

export function createRawMode({ stdin, stdout }: Terminal, onAwake: () => void): RawMode {
  let isRaw = false
  const setRaw = (raw: boolean): void => {
    // A terminal that is gone accepts no commands, and there is nothing to restore.
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
  /** If other code listens for the signal, that code decides. Otherwise the signal has its default effect. */
  const end = (name: Ending): void => {
    if (process.listenerCount(name) > 1) return
    leave()
    process.kill(process.pid, name)
  }
  /** Another program may have changed the terminal meanwhile, so raw mode is set again. */
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
