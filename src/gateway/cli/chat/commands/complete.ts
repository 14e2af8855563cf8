// Completes slash commands and their values.
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Engine } from '../../../../engine.ts'
import type { Complete } from '../../terminal/line-editor/state.ts'

/** The values to choose from, read at the moment the person presses Tab. */
export type CompletionChoices = {
  readonly commands: readonly string[]
  readonly agents: () => readonly string[]
  readonly councils: () => readonly string[]
  readonly advisors: () => readonly string[]
  readonly models: () => readonly string[]
  readonly policies: () => readonly string[]
}

/** The names to choose from. Listing the models takes a while, so it happens in the background. */
export function mentionedNames(reader: Engine): Pick<CompletionChoices, 'agents' | 'councils' | 'models' | 'policies'> {
  let models: readonly string[] = []
  // If listing the models fails, model names are not completed and everything else still works.
  reader
    .models()
    .then(({ items }) => {
      models = items.filter(({ ready }) => ready).map(({ name }) => name)
    })
    .catch(() => {})
  return {
    agents: () => reader.agents().map(({ key }) => key),
    councils: () => reader.councils().map(({ key }) => key),
    models: () => models,
    policies: () => reader.policies.map(({ name }) => name),
  }
}

const MOST = 200
const LOOKS = ['list', 'why', 'raw', 'diff', 'cache', 'json']
const REACHES = ['project', 'everywhere']
const FORMATS = ['json', 'markdown', 'html', 'port42']

/** Completes commands at the beginning of the line, their values after them, and names after an `@`. */
export function completing(choices: CompletionChoices): Complete {
  const behind: Readonly<Record<string, () => readonly string[]>> = {
    new: () => [...choices.agents(), ...choices.councils()],
    agent: choices.agents,
    council: choices.councils,
    model: () => [...choices.models(), 'default'],
    policy: choices.policies,
    think: () => ['on', 'off', 'default'],
    context: () => LOOKS,
    export: () => FORMATS,
    pin: () => REACHES,
    compact: () => ['extract'],
    private: () => ['on', 'off'],
  }
  return (text, cursor) => {
    const before = text.slice(0, cursor)
    const [, command] = /^\/([a-z]*)$/.exec(before) ?? []
    if (command !== undefined) return { from: 0, choices: begun(choices.commands, command).map(name => `/${name} `) }
    const [, path] = /^\/file\s+(.*)$/.exec(before) ?? []
    if (path !== undefined) return { from: cursor - path.length, choices: filesFor(path) }
    const [, name = '', word] = /^\/([a-z]+)\s+(\S*)$/.exec(before) ?? []
    if (word !== undefined && Object.hasOwn(behind, name))
      return { from: cursor - word.length, choices: begun(behind[name]?.() ?? [], word) }
    const [, called] = /(?:^|\s)@([\w.-]*)$/.exec(before) ?? []
    if (called === undefined) return { from: cursor, choices: [] }
    const names = [...choices.advisors(), ...(before === `@${called}` ? choices.agents() : [])]
    return { from: cursor - called.length - 1, choices: begun(names, called).map(each => `@${each} `) }
  }
}

const begun = (names: readonly string[], typed: string): readonly string[] =>
  [...new Set(names)].filter(name => name.startsWith(typed)).slice(0, MOST)

/** Hidden files appear only if the person typed the dot. A folder ends in a slash so that the person can continue the path. */
function filesFor(path: string): readonly string[] {
  const [folder, begins] = path.endsWith('/') ? [path, ''] : [dirname(path), basename(path)]
  const shown = path.endsWith('/') ? path : folder === '.' && !path.startsWith('./') ? '' : folder === '/' ? '/' : `${folder}/`
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(begins) && (begins.startsWith('.') || !name.startsWith('.')))
      .slice(0, MOST)
      .map(entry => `${shown === '' ? entry.name : join(shown, entry.name)}${entry.isDirectory() ? '/' : ''}`)
  } catch {
    return []
  }
}
