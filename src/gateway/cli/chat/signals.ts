/** Listens for signals that end the process, so that the terminal and the database are left in order. */
export type Signals = {
  /** Aborted by the first signal; its reason is the exit code. */
  readonly stop: AbortSignal
  readonly off: () => void
}

const EXIT_CODES = { SIGTERM: 143, SIGHUP: 129 } as const
type Name = keyof typeof EXIT_CODES

/** Ctrl-C is not among them: in a chat it stops an answer, and the code that shows answers listens for it. */
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
