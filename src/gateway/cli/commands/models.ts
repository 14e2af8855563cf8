// The models command.
import type { Listed } from '../../../engine.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { shownModels } from '../../workspace/models.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { counted, figure } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { statelessEngine } from '../talk/own-engine.ts'

export type ModelsOptions = { readonly json?: boolean; readonly all?: boolean }

/** Lists the models. Those that are ready to be asked come first; every provider with a key is asked for its own. */
export async function modelsCommand(terminal: Terminal, { json, all }: ModelsOptions): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const engine = statelessEngine(workspace.value, terminal.environment)
  await workspace.value.connections.refresh()
  const models = await engine.models()
  await engine.close(0)
  if (json === true) {
    print(terminal, jsonForTerminal(shownModels(models)))
    return 0
  }
  const { items, default: standard } = models
  const { dim } = inkFor(terminal.stdout, terminal.environment)
  const sorted = [...items.filter(({ ready }) => ready), ...items.filter(({ ready }) => !ready)]
  const shown = sorted.filter(({ name, ready }) => all === true || ready || name === standard)
  const hidden = sorted.filter(item => !shown.includes(item))
  printPage(terminal, ...aligned(shown.map(item => rowOf(item, standard))))
  if (hidden.length > 0) printPage(terminal, dim(`  ${hiddenWords(hidden)}`))
  printPage(terminal, '', dim('  * the default; window in tokens, price in dollars for a million tokens in and out'))
  return 0
}

const rowOf = ({ name, provider, window, price, needs }: Listed, standard: string): readonly string[] => [
  name === standard ? '*' : ' ',
  escapeToOneLine(name),
  figure(window),
  price === undefined ? 'no price' : `${rate(price.input)} / ${rate(price.output)}`,
  needs === undefined ? 'ready' : escapeToOneLine(needWords(needs, provider)),
]

/** Every digit of a price matters. */
const rate = (usd: number): string =>
  `$${usd.toLocaleString('en-US', { minimumFractionDigits: Number.isInteger(usd) ? 0 : 2, maximumFractionDigits: 6 })}`

/** What a person must do before a model can be asked. What a provider answered is a sentence of its own. */
export const needWords = (needs: string, provider: string): string =>
  isVariable(needs) ? `set ${needs}` : needs.startsWith(`${provider} `) ? needs : `needs ${needs}`

const isVariable = (needs: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(needs)

function hiddenWords(hidden: readonly Listed[]): string {
  const needs = [...new Set(hidden.flatMap(hiddenNeed))].map(escapeToOneLine)
  const verb = hidden.length === 1 ? 'needs' : 'need'
  return `… ${counted(hidden.length, 'more', 'more')} ${verb} ${alternatives(needs)}; "turnwise models --all" shows ${hidden.length === 1 ? 'it' : 'them'}`
}

const hiddenNeed = ({ needs, provider }: Listed): readonly string[] =>
  needs === undefined ? [] : [needs.startsWith(`${provider} `) ? `${provider} to answer` : needs]

const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
