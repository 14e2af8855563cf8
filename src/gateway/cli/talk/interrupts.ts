/** Ctrl-C and its relatives, heard instead of obeyed. */
export type Interrupts = {
  /** Aborted by the first one; its reason is the exit code. */
  readonly signal: AbortSignal
  readonly stop: () => void
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const
type Name = keyof typeof EXIT_CODES

/** The launcher passes a Ctrl-C on that the terminal has sent to both of us; within this time the two are one. */
const SAME_MS = 500

/** The first asks to stop; a second Ctrl-C is an order, and the process ends at once. */
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
