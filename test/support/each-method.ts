import type { Log } from '../../src/log/ports.ts'

/** A call of a log's method, by its name; a method of one of its parts is named with it, such as `grants.has`. */
export type Call = { readonly method: string; readonly given: readonly unknown[]; readonly work: () => Promise<unknown> }

/** A log with someone between it and those who ask it, whichever method they ask, also one that is added one day. */
export function eachMethod(log: Log, between: (call: Call) => Promise<unknown>): Log {
  return wrapped(log, '')

  function wrapped<Part extends object>(part: Part, prefix: string): Part {
    const entries = Object.entries(part).map(([name, value]: [string, unknown]) => {
      const method = `${prefix}${name}`
      if (typeof value !== 'function') return [name, wrapped(value as object, `${method}.`)]
      return [name, async (...given: unknown[]) => between({ method, given, work: async () => value(...given) })]
    })
    return Object.fromEntries(entries) as Part
  }
}

/** The names of all its methods. */
export function methodsOf(log: Log): readonly string[] {
  const names = (part: object, prefix: string): readonly string[] =>
    Object.entries(part).flatMap(([name, value]) =>
      typeof value === 'function' ? [`${prefix}${name}`] : names(value as object, `${prefix}${name}.`),
    )
  return names(log, '')
}
