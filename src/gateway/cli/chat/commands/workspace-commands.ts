// Slash commands about tools, skills and spending.
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { usageSum } from '../../../../model/usage.ts'
import { skillsCommand } from '../../commands/skills.ts'
import { toolsCommand } from '../../commands/tools.ts'
import { usagePage } from '../../commands/usage.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import { counted, money } from '../../output/phrase.ts'
import type { ChatContext } from '../chat-context.ts'
import { type ChatCommand, printed } from './command.ts'

/** The commands about the workspace around a session: tools, skills and spending. */
export const WORKSPACE_COMMANDS: readonly ChatCommand[] = [
  { name: 'cost', does: 'say what this session used and cost', run: cost },
  { name: 'budget', does: 'say what may be spent in a day, and what was', run: budget },
  {
    name: 'skills',
    does: 'list the skills and what each costs',
    run: chatContext => printed(skillsCommand(chatContext.terminal, {})),
  },
  {
    name: 'tools',
    does: 'list what agents may use, and what asks first',
    run: chatContext => printed(toolsCommand(chatContext.terminal, {})),
  },
  { name: 'reload', does: 'read the files of the workspace again, and say what is there', run: reload },
]

async function cost(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  const { budgetUsdPerDay: budget } = chatContext.workspace.settings.limits
  const [own, spent] = await Promise.all([
    chatContext.isOpen() ? chatContext.reader.usage({ session: chatContext.about().id }) : ok([]),
    spentToday(chatContext),
  ])
  if (!own.ok) return own
  if (!spent.ok) return spent
  if (own.value.length === 0) chatContext.print('nothing was used in this session yet')
  else chatContext.print(...usagePage(chatContext.terminal, own.value, usageSum(own.value)))
  if (spent.value !== null && (spent.value > 0 || budget !== null)) chatContext.note(todayWords(spent.value, budget))
  return ok(null)
}

async function budget(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  const spent = await spentToday(chatContext)
  if (!spent.ok) return spent
  const { budgetUsdPerDay } = chatContext.workspace.settings.limits
  if (budgetUsdPerDay === null)
    chatContext.print('there is no budget for a day; limits.budgetUsdPerDay in turnwise.json sets one')
  chatContext.print(todayWords(spent.value ?? 0, budgetUsdPerDay))
  return ok(null)
}

/** The day is a UTC day. The cost is null if something had no price. */
async function spentToday(chatContext: ChatContext): Promise<Result<number | null, Fault>> {
  const all = await chatContext.reader.usage({ since: new Date().toISOString().slice(0, 10) })
  return all.ok ? ok(usageSum(all.value).costUsd) : all
}

const todayWords = (spent: number, budget: number | null): string =>
  `today, in all sessions: ${money(spent)}${budget === null ? '' : ` of ${money(budget)} a day`}`

/**
 * Turnwise reads agents, councils and skills again before every answer anyway. This command shows the person that their edit is
 * valid.
 */
async function reload(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  const [skills, troubles] = [await chatContext.reader.skills(), await chatContext.reader.equipmentTroubles()]
  const found = [
    counted(chatContext.reader.agents().length, 'agent'),
    counted(chatContext.reader.councils().length, 'council'),
    counted(skills.length, 'skill'),
  ]
  chatContext.print(`read again: ${found.join(', ')}; turnwise.json is read when Turnwise starts`)
  const { agents, councils } = chatContext.workspace
  for (const trouble of [agents.trouble(), councils.trouble(), ...troubles])
    if (trouble !== undefined) chatContext.print(escapeToOneLine(trouble))
  return ok(null)
}
