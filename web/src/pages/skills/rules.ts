// The rules for tools as the page edits them: a tool's name or a pattern, and whether it asks.
import { matchesName } from '../../../../src/tool/approve-rules.ts'
import { type ListedSettings, type SettingPatch, settingAt } from '../../wire/settings-api.ts'
import type { ToolRow } from '../../wire/workspace-api.ts'

export type ToolRules = Readonly<Record<string, ToolRow['approval']>>

const isApproval = (value: unknown): value is ToolRow['approval'] => value === 'auto' || value === 'ask' || value === 'never'

/** `tools.approve` of the settings. */
export function toolRulesIn(settings: ListedSettings): ToolRules {
  const value = settingAt(settings, 'tools.approve')?.value
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([, approval]) => isApproval(approval)))
}

/** Sets a rule; null removes it. */
export const rulePatch = (key: string, approval: ToolRow['approval'] | null): SettingPatch => ({
  tools: { approve: { [key]: approval } },
})

/** The pattern for all tools of an MCP server. */
export const serverPattern = (server: string): string => `${server}__*`

/** What is wrong with the name or pattern of a new rule, in a sentence. */
export function whyNotARule(key: string, rules: ToolRules): string | undefined {
  if (key === '') return 'Enter the name of a tool, or the beginning of names and a *.'
  if (Object.hasOwn(rules, key)) return 'There is a rule for this already.'
  if (!/^[\w-]*\*?$/.test(key)) return 'Use letters, digits, _ and -, and a * only at the end.'
  return undefined
}

/** How many tools a rule means. */
export const meantBy = (key: string, tools: readonly Pick<ToolRow, 'name'>[]): number =>
  tools.filter(({ name }) => matchesName(key, name)).length
