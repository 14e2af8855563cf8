/** The arguments of a tool call, from the text that a model wrote. */

/** The deepest that JSON from elsewhere may nest; what walks it would run out of stack long after. */
export const DEEPEST = 64

export type CallArguments = { readonly args: unknown; readonly raw?: string }

/**
 * Arguments stay as they came: parsed where that gives the same bytes back, beside their text where it does not. What is not
 * JSON, or nests too deeply to be handed on, is only its text.
 */
export function argumentsOf(text: string): CallArguments {
  const raw = text.trim() === '' ? '{}' : text
  if (isDeeperThan(raw, DEEPEST)) return { args: null, raw }
  try {
    const args: unknown = JSON.parse(raw)
    return JSON.stringify(args) === raw ? { args } : { args, raw }
  } catch {
    return { args: null, raw }
  }
}

/** Counted on the text, since a parser gives no limit of its own. */
export function isDeeperThan(text: string, deepest: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > deepest) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}
