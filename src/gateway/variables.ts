// Replaces $NAME in settings by environment variables.
export type Environment = Readonly<Record<string, string | undefined>>

const VARIABLE = /^\$[A-Z][A-Z0-9_]*$/

/** The variable that a value names, if the whole value is a variable. */
export const variableIn = (value: unknown): string | undefined =>
  typeof value === 'string' && VARIABLE.test(value) ? value.slice(1) : undefined

/** A value that is exactly `$NAME` reads the environment, so that secrets need not be in the file. */
export function withVariables(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') return environment[variableIn(value) ?? ''] ?? value
  if (Array.isArray(value)) return value.map(item => withVariables(item, environment))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withVariables(inner, environment)]))
}

/** Where a file first uses each variable, by the variable's name. */
export function variablesIn(value: unknown, path: readonly string[] = []): Readonly<Record<string, string>> {
  const variable = variableIn(value)
  if (variable !== undefined) return { [variable]: path.join('.') }
  const inner = isRecord(value) || Array.isArray(value) ? Object.entries(value) : []
  return Object.assign({}, ...inner.map(([key, each]) => variablesIn(each, [...path, key])).toReversed())
}

/** An unset variable is refused: a literal `$NAME` would be used as the value, and everyone could guess such a token. */
export function unsetVariables(value: unknown, path: readonly string[] = []): string[] {
  const variable = variableIn(value)
  if (variable !== undefined) return [`${path.join('.')}: the environment has no ${variable}; set it, or take the key out`]
  const inner = isRecord(value) || Array.isArray(value) ? Object.entries(value) : []
  return inner.flatMap(([key, each]) => unsetVariables(each, [...path, key]))
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
