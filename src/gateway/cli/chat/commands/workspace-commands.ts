import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { usageSum } from '../../../../model/usage.ts'
import { skillsCommand } from '../../commands/skills.ts'
import { toolsCommand } from '../../commands/tools.ts'
import { usagePage } from '../../commands/usage.ts'
import { oneLine } from '../../output/escape-for-terminal.ts'
import { counted, money } from '../../output/phrase.ts'
import type { Desk } from '../chat-context.ts'
import { type Command, printed } from './command.ts'

/** What a session has around it: what may be used, and what was spent. */
export const WORKSPACE_COMMANDS: readonly Command[] = [
  { name: 'cost', does: 'say what this session used and cost', run: cost },
  { name: 'budget', does: 'say what may be spent in a day, and what was', run: budget },
  { name: 'skills', does: 'list the skills and what each costs', run: desk => printed(skillsCommand(desk.terminal, {})) },
  { name: 'tools', does: 'list what agents may use, and what asks first', run: desk => printed(toolsCommand(desk.terminal, {})) },
  { name: 'reload', does: 'read the files of the workspace again, and say what is there', run: reload },
]

async function cost(desk: Desk): Promise<Result<unknown, Fault>> {
  const { budgetUsdPerDay: budget } = desk.workspace.settings.limits
  const [own, spent] = await Promise.all([
    desk.isOpen() ? desk.reader.usage({ session: desk.about().id }) : ok([]),
    spentToday(desk),
  ])
  if (!own.ok) return own
  if (!spent.ok) return spent
  if (own.value.length === 0) desk.print('nothing was used in this session yet')
  else desk.print(...usagePage(desk.terminal, own.value, usageSum(own.value)))
  if (spent.value !== null && (spent.value > 0 || budget !== null)) desk.note(todayWords(spent.value, budget))
  return ok(null)
}

async function budget(desk: Desk): Promise<Result<unknown, Fault>> {
  const spent = await spentToday(desk)
  if (!spent.ok) return spent
  const { budgetUsdPerDay } = desk.workspace.settings.limits
  if (budgetUsdPerDay === null) desk.print('there is no budget for a day; limits.budgetUsdPerDay in turnwise.json sets one')
  desk.print(todayWords(spent.value ?? 0, budgetUsdPerDay))
  return ok(null)
}

/** The day is that of UTC; null where something had no price. */
async function spentToday(desk: Desk): Promise<Result<number | null, Fault>> {
  const all = await desk.reader.usage({ since: new Date().toISOString().slice(0, 10) })
  return all.ok ? ok(usageSum(all.value).costUsd) : all
}

const todayWords = (spent: number, budget: number | null): string =>
  `today, in all sessions: ${money(spent)}${budget === null ? '' : ` of ${money(budget)} a day`}`

/** Agents, councils and skills are looked at before every answer anyway; here a person sees that they are as meant. */
async function reload(desk: Desk): Promise<Result<unknown, Fault>> {
  const [skills, troubles] = [await desk.reader.skills(), await desk.reader.equipmentTroubles()]
  const found = [
    counted(desk.reader.agents().length, 'agent'),
    counted(desk.reader.councils().length, 'council'),
    counted(skills.length, 'skill'),
  ]
  desk.print(`read again: ${found.join(', ')}; turnwise.json is read when whoever answers here starts`)
  const { agents, councils } = desk.workspace
  for (const trouble of [agents.trouble(), councils.trouble(), ...troubles])
    if (trouble !== undefined) desk.print(oneLine(trouble))
  return ok(null)
}
