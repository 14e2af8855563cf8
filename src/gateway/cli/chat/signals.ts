/** Orders from outside to end: heard, so that the terminal and the database are left as they should be. */
export type Signals = {
  /** Aborted by the first one; its reason is the exit code. */
  readonly stop: AbortSignal
  readonly off: () => void
}

const EXIT_CODES = { SIGTERM: 143, SIGHUP: 129 } as const
type Name = keyof typeof EXIT_CODES

/** Ctrl-C is not among them: in a chat it stops an answer, and is heard where answers are. */
export function hearSignals(): Signals {
  const controller = new AbortController()
  const hear = (name: Name): void => controller.abort(EXIT_CODES[name])
  const names = Object.keys(EXIT_CODES) as Name[]
  for (const name of names) process.on(name, hear)
  return {
    stop: controller.signal,
    off: () => {
      for (const name of names) process.off(name, hear)
    },
  }
}
