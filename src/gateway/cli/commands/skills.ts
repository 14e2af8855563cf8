// The skills command.
import { SKILL_MODES } from '../../../model/settings/config.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { figure } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { statelessEngine } from '../talk/own-engine.ts'

/** Lists the skills, what each adds to every request in both modes, and what is wrong with the skills that did not load. */
export async function skillsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const engine = statelessEngine(workspace.value, terminal.environment)
  const [skills, troubles] = [await engine.skills(), await engine.equipmentTroubles()]
  await engine.close(0)
  const mode = workspace.value.settings.skills.contextMode
  if (json === true) {
    print(terminal, jsonForTerminal({ items: skills, mode, troubles }))
    return 0
  }
  const { dim, warn } = inkFor(terminal.stdout, terminal.environment)
  const rows = skills.map(({ name, full, listed, tools, description }) => [
    escapeToOneLine(name),
    `${figure(full)} in full`,
    `${figure(listed)} listed`,
    tools.length === 0 ? 'no tools' : escapeToOneLine(tools.join(', ')),
    escapeToOneLine(description),
  ])
  if (rows.length === 0) printPage(terminal, dim('  there are no skills; a skill is a folder skills/<name> with a SKILL.md'))
  printPage(terminal, ...aligned(rows), ...troubles.map(trouble => warn(`  ${escapeToOneLine(trouble)}`)))
  const others = SKILL_MODES.filter(each => each !== mode).map(each => `"${each}"`)
  printPage(terminal, '', dim(`  tokens in every request; skills.contextMode is "${mode}", or ${others.join(' or ')}`))
  return 0
}
