// Works out what could be meant at the caret: a name or a command.
import type { Council } from '../../../../src/model/settings/council.ts'
import { type CommandChoices, PAGE_COMMANDS } from '../../store/commands.ts'
import type { State } from '../../store/state.ts'
import { promptName, promptsFor, type ServerPrompt } from '../offers/offered.ts'
import { advisorsFor, mentionOf, namingAt } from './addressing.ts'

/** A suggestion that can replace what the person began to type. */
export type TextSuggestion = {
  readonly key: string
  readonly label: string
  readonly hint: string
  readonly color?: string
  /** The text that the suggestion inserts. */
  readonly text: string
  /** A prompt of a server is fetched instead. */
  readonly prompt?: ServerPrompt
}

/** Suggestions for a stretch of the text. */
export type SuggestionList = {
  readonly title: string
  readonly from: number
  readonly to: number
  readonly items: readonly TextSuggestion[]
}

type KnownSuggestions = {
  readonly state: State
  readonly choices: CommandChoices
  /** The prompts of connected servers. */
  readonly prompts?: readonly ServerPrompt[]
}

/** What could be meant at the caret; null if there is nothing to suggest. */
export function suggestedAt(
  text: string,
  caret: number,
  known: KnownSuggestions & { readonly council: Council | undefined },
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

function commandsAt(text: string, caret: number, known: KnownSuggestions): SuggestionList | null {
  const { state, choices, prompts = [] } = known
  if (!text.startsWith('/') || caret === 0 || text.includes('\n')) return null
  const [begun, name = '', space, argument = ''] = /^\/([a-z]*)(?:([ ]+)([^\n]*))?$/.exec(text.slice(0, caret)) ?? []
  if (space === undefined || name === '') {
    const commands = PAGE_COMMANDS.filter(
      command => begun !== undefined && space === undefined && command.name.startsWith(name) && command.fits(state),
    ).map(({ name: full, words, takes }) => ({
      ...{ key: full, label: `/${full}`, hint: words, text: takes === undefined ? `/${full}` : `/${full} ` },
    }))
    // A command that is whole is given as it is.
    const items = commands.some(({ text: whole }) => whole === text) ? [] : [...commands, ...promptsAt(text, caret, prompts)]
    return { title: 'Commands', from: 0, to: text.length, items }
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

const MOST_PROMPTS = 50

const promptsAt = (text: string, caret: number, prompts: readonly ServerPrompt[]): readonly TextSuggestion[] =>
  promptsFor(prompts, text.slice(1, caret))
    .slice(0, MOST_PROMPTS)
    .map(prompt => {
      const written = `/${promptName(prompt)}`
      return { key: written, label: written, hint: prompt.description ?? `Prompt of ${prompt.server}`, text: written, prompt }
    })
