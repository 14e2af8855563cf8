// Words for skills, their prices and their approvals.
import type { ListedSkills, SkillRow, ToolRow } from '../wire/workspace-api.ts'
import { formatCount } from './words.ts'

type Mode = NonNullable<ListedSkills['mode']>

/** What a skill costs in both modes; the current mode comes first. */
export function skillPriceWords({ full, listed }: Pick<SkillRow, 'full' | 'listed'>, mode: Mode | undefined): string {
  const prices = [`in full +${formatCount(full)} tokens every turn`, `on demand +${formatCount(listed)}`]
  return (mode === 'readOnDemand' ? prices.toReversed() : prices).join('; ')
}

/** What chosen skills and tools cost together. */
export const chosenTokensWords = (tokens: number): string =>
  tokens === 0 ? 'no tokens' : `about ${formatCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'} per request`

/** How much an entry of a list means now; one that means nothing is kept. */
export const meansWords = (count: number, thing: 'skill' | 'tool'): string =>
  count === 0 ? 'Not available now' : `Matches ${formatCount(count)} ${thing}${count === 1 ? '' : 's'} now`

const APPROVALS: Record<ToolRow['approval'], string> = {
  auto: 'runs without asking',
  ask: 'asks first',
  never: 'never runs',
}

export const approvalWords = (approval: ToolRow['approval']): string => APPROVALS[approval]

/** Where a tool comes from, and so what it runs. */
export function sourceWords(tool: string, skills: readonly Pick<SkillRow, 'name' | 'tools'>[]): string {
  if (tool === 'read_skill') return 'Turnwise’s own: reads a skill’s text; it runs nothing.'
  const owner = skills.find(({ tools }) => tools.includes(tool))
  return owner === undefined ? 'From another program.' : `Of the skill “${owner.name}”.`
}
