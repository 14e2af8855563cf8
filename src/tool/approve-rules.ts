// Finds the rule of the settings that decides whether a tool asks.
import type { Tool } from './toolbox.ts'

/** `tools.approve` of the settings: a tool's name, or the beginning of names with a final `*`. */
export type ApproveRules = Readonly<Record<string, Tool['approval']>>

export type ApproveRule = { readonly key: string; readonly approval: Tool['approval'] }

/** The rule for a tool: the one with exactly its name, else the longest pattern that its name begins with. */
export function ruleFor(name: string, rules: ApproveRules): ApproveRule | undefined {
  const exact = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (exact !== undefined) return { key: name, approval: exact }
  const [longest] = Object.keys(rules)
    .filter(key => isPattern(key) && matchesName(key, name))
    .sort((a, b) => b.length - a.length)
  const approval = longest === undefined ? undefined : rules[longest]
  return longest === undefined || approval === undefined ? undefined : { key: longest, approval }
}

const isPattern = (key: string): boolean => key.endsWith('*')

/** Whether a name or a pattern with a final `*` means a name. */
export const matchesName = (key: string, name: string): boolean =>
  isPattern(key) ? name.startsWith(key.slice(0, -1)) : key === name

/** The rules that decide nothing, because no tool has such a name. */
export const idleRules = (names: readonly string[], rules: ApproveRules): readonly string[] =>
  Object.keys(rules).filter(key => !names.some(name => matchesName(key, name)))
