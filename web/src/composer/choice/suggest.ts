// Works out what could be meant at the caret: a name or a command.
import type { Council } from '../../../../src/model/settings/council.ts'
import { type CommandChoices, PAGE_COMMANDS } from '../../store/commands.ts'
import type { State } from '../../store/state.ts'
import { advisorsFor, mentionOf, namingAt } from './addressing.ts'

/** A suggestion that can replace what the person began to type. */
export type TextSuggestion = {
  readonly key: string
  readonly label: string
  readonly hint: string
  readonly color?: string
  /** The text that the suggestion inserts. */
  readonly text: string
}

/** Suggestions for a stretch of the text. */
export type SuggestionList = {
  readonly title: string
  readonly from: number
  readonly to: number
  readonly items: readonly TextSuggestion[]
}

/** What could be meant at the caret; null if there is nothing to suggest. */
export function suggestedAt(
  text: string,
  caret: number,
  known: { readonly state: State; readonly council: Council | undefined; readonly choices: CommandChoices },
): SuggestionList | null {
  const found = commandsAt(text, caret, known) ?? (known.council === undefined ? null : namesAt(text, caret, known.council))
  return found === null || found.items.length === 0 ? null : found
}

function namesAt(text: string, caret: number, council: Council): SuggestionList | null {
  const naming = namingAt(text, caret)
  if (naming === null) return null
  const advisors = advisorsFor(council, naming.query).map(advisor => ({
    ...{ key: advisor.id, label: advisor.name, color: advisor.color, text: `${mentionOf(advisor)} ` },
    hint: advisor.active ? '' : 'hidden, answers when named',
  }))
  const everybody = { key: '@all', label: 'Everybody', hint: '@all', text: '@all ' }
  const items = 'all'.startsWith(naming.query.toLowerCase()) ? [...advisors, everybody] : advisors
  return { title: 'Advisors', from: naming.from, to: caret, items }
}

function commandsAt(
  text: string,
  caret: number,
  { state, choices }: { readonly state: State; readonly choices: CommandChoices },
): SuggestionList | null {
  const [, name = '', space, argument = ''] = /^\/([a-z]*)(?:([ ]+)([^\n]*))?$/.exec(text.slice(0, caret)) ?? []
  if (!text.startsWith('/') || (name === '' && caret !== 1) || text.includes('\n')) return null
  if (space === undefined) {
    const items = PAGE_COMMANDS.filter(command => command.name.startsWith(name) && command.fits(state)).map(
      ({ name: full, words, takes }) => ({
        ...{ key: full, label: `/${full}`, hint: words, text: takes === undefined ? `/${full}` : `/${full} ` },
      }),
    )
    return { title: 'Commands', from: 0, to: text.length, items: items.some(({ text: whole }) => whole === text) ? [] : items }
  }
  const takes = PAGE_COMMANDS.find(command => command.name === name)?.takes
  if (takes === undefined || takes === 'title') return null
  const wanted = argument.trim().toLowerCase()
  const items = choices[takes]
    .filter(({ value, words }) => value.toLowerCase().includes(wanted) || words.toLowerCase().includes(wanted))
    .map(({ value, words, color }) => ({
      ...{ key: value, label: words, hint: value === words ? '' : value, text: `/${name} ${value}` },
      ...(color === undefined ? {} : { color }),
    }))
  return {
    title: 'Choices',
    from: 0,
    to: text.length,
    items: items.some(({ text: whole }) => whole === text) ? [] : items.slice(0, 50),
  }
}
