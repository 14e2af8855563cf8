/** Listens for Ctrl-C and similar signals instead of exiting at once. */
export type Interrupts = {
  /** Aborted by the first signal; its reason is the exit code. */
  readonly signal: AbortSignal
  readonly stop: () => void
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const
type Name = keyof typeof EXIT_CODES

/**
 * The launcher passes on a Ctrl-C that the terminal has already sent to both processes. Within this time the two count as one.
 */
const SAME_MS = 500

/** The first signal asks to stop. A second Ctrl-C ends the process at once. */
export function hearInterrupts(): Interrupts {
  const controller = new AbortController()
  let first: number | undefined
  const hear = (name: Name): void => {
    first ??= performance.now()
    if (name === 'SIGINT' && performance.now() - first > SAME_MS) process.exit(EXIT_CODES[name])
    controller.abort(EXIT_CODES[name])
  }
  const names = Object.keys(EXIT_CODES) as Name[]
  for (const name of names) process.on(name, hear)
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of names) process.off(name, hear)
    },
  }
}
