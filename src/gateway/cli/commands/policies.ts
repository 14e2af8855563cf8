// The policies command.
import { windowRules } from '../../../context/window/kinds.ts'
import type { RecallFrom } from '../../../model/recall.ts'
import type { Policy } from '../../../model/settings/policy.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { figure } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { statelessEngine } from '../talk/own-engine.ts'

/** Lists the policies of a workspace and describes each one. */
export async function policiesCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const { policies } = statelessEngine(workspace.value, terminal.environment)
  const standard = workspace.value.settings.policy
  if (json === true) {
    print(terminal, jsonForTerminal({ items: policies, default: standard }))
    return 0
  }
  const ink = inkFor(terminal.stdout, terminal.environment)
  printPage(
    terminal,
    ...aligned(
      policies.map(policy => [
        policy.name === standard ? '*' : ' ',
        escapeToOneLine(policy.name),
        budgetWords(policy.budget),
        policyWords(policy),
      ]),
    ),
    '',
    ink.dim('  * the default; turnwise context <id> --diff --policy <name> shows what another would change'),
  )
  return 0
}

/** What a voice sees under a policy. */
const policyWords = (policy: Policy): string =>
  [
    ...(policy.view === 'own' ? ['only the person and itself'] : []),
    windowRules(policy.window).words.short,
    ...foldSetting(policy),
    ...recallSetting(policy),
    ...(policy.references === 'last-round' ? ['what the others said last'] : []),
    ...(policy.stamps ? ['with times'] : []),
    ...(policy.render === 'transcript' ? ['as one text'] : []),
    ...(policy.thinking === 'never' ? ['never its thinking'] : []),
  ].join('; ')

/** Whether what leaves the window is summarized. */
function foldSetting({ fold }: Policy): readonly string[] {
  if (fold === undefined || fold === null) return []
  return [fold.by === 'extract' ? 'summarizes what leaves it by literal sentences' : 'summarizes what leaves it']
}

const LOOKED_IN: Readonly<Record<RecallFrom, string>> = {
  session: '',
  project: ', also from the other chats of the project',
  everywhere: ', also from all other chats',
}

/** How much a policy quotes of what it does not show. */
function recallSetting({ recall }: Policy): readonly string[] {
  if (recall === undefined || recall === null) return []
  if (recall.tokens === 'auto')
    return [`recalls what matters${LOOKED_IN[recall.from]}, as far as hiding the past has paid for it`]
  return [`recalls what matters${LOOKED_IN[recall.from]}, up to ${figure(recall.tokens)} tokens`]
}

/** The most tokens in a request, and how much of the model's window is reserved for the reply. */
function budgetWords({ tokens, reserve }: Policy['budget']): string {
  const reply = reserve === null ? "the reply's limit" : figure(reserve)
  if (tokens === null) return `the model's window less ${reply}`
  return `${figure(tokens)} tokens${reserve === null ? '' : `, ${reply} for the reply`}`
}
