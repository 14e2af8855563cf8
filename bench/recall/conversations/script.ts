// Reads the stories and the small talk that conversations are woven from; both are plain text files beside this one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chance } from '../../conversations.ts'

/** What one person says. `key` names it as evidence; `topic` wraps it into a long answer about that. */
export type Line = { readonly author: string; readonly key: string | null; readonly topic: string | null; readonly text: string }

/** Lines that belong together. `day` is counted from the first day of the story; null lets the weaver choose. */
export type Scene = { readonly day: number | null; readonly lines: readonly Line[] }

export type Asked = { readonly category: string; readonly text: string; readonly keys: readonly string[] }

export type Story = {
  /** The names of the authors by the letter that stands for them in the file. */
  readonly people: ReadonlyMap<string, string>
  /** The first day, and how many there are. */
  readonly from: string
  readonly days: number
  readonly scenes: readonly Scene[]
  readonly questions: readonly Asked[]
}

/** Sentences for small talk: by topic and by what they are good for. */
export type Talk = {
  readonly words: ReadonlyMap<string, readonly string[]>
  readonly topics: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
}

const DAY_MS = 86_400_000

/**
 * A story file has `people A = Anna, B = Ben`, `from 2024-02-01 to 2025-01-31`, and scenes. `= 2024-03-12` begins a scene on that
 * day, `= +9` nine days after the scene before, `= ~` on a day that chance chooses. `A*key: text` is a line that questions name
 * as their evidence, `B*key(topic): text` hides it in a long answer. `? category | question | key, key` asks for it.
 */
export function readStory(name: string): Story {
  const people = new Map<string, string>()
  const scenes: { day: number | null; lines: Line[] }[] = []
  const questions: Asked[] = []
  let [from, to, day] = ['', '', 0]
  for (const line of linesOf('stories', name)) {
    const [, begins, ends] = /^from (\S+) to (\S+)$/.exec(line) ?? []
    if (line.startsWith('people ')) {
      for (const each of line.slice(7).split(', ')) people.set(each.slice(0, 1), each.slice(4))
    } else if (begins !== undefined && ends !== undefined) {
      ;[from, to] = [begins, ends]
    } else if (line.startsWith('= ')) {
      const when = line.slice(2).trim()
      const next = when === '~' ? null : when.startsWith('+') ? day + Number(when.slice(1)) : daysBetween(from, when)
      day = next ?? day
      scenes.push({ day: next, lines: [] })
    } else if (line.startsWith('? ')) {
      const [category = '', text = '', keys = ''] = line.slice(2).split(' | ')
      questions.push({ category, text, keys: keys.split(', ') })
    } else {
      const [, author, key, topic, text] = /^([A-Z])(?:\*([\w-]+))?(?:\(([\w-]+)\))?: (.+)$/s.exec(line) ?? []
      const scene = scenes.at(-1)
      if (author === undefined || text === undefined || scene === undefined) throw new Error(`${name}: ${line}`)
      scene.lines.push({ author, key: key ?? null, topic: topic ?? null, text: text.replaceAll('\\n', '\n') })
    }
  }
  return { people, from, days: daysBetween(from, to) + 1, scenes, questions }
}

/** A talk file has `$word = one, two`, `[topic]` and under it `open: …`, `more: …`, `ask: …`, `answer: …`, `react: …`. */
export function readTalk(name: string): Talk {
  const words = new Map<string, readonly string[]>()
  const topics = new Map<string, Map<string, string[]>>()
  let topic = new Map<string, string[]>()
  for (const line of linesOf('talk', name)) {
    const [, word, list] = /^\$(\w+) = (.+)$/.exec(line) ?? []
    const [, title] = /^\[([\w-]+)\]$/.exec(line) ?? []
    const [, use, sentence] = /^(\w+): (.+)$/.exec(line) ?? []
    if (word !== undefined && list !== undefined) words.set(word, list.split(/, |、/))
    else if (title !== undefined) {
      topic = new Map()
      topics.set(title, topic)
    } else if (use !== undefined && sentence !== undefined) topic.set(use, [...(topic.get(use) ?? []), sentence])
    else throw new Error(`${name}: ${line}`)
  }
  return { words, topics }
}

/** Lines that say something; `# ` begins a remark. */
const linesOf = (folder: string, name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, folder, `${name}.txt`), 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('# '))

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** One of several. */
export function oneOf<Item>(items: readonly Item[], chance: Chance): Item {
  const item = items[Math.floor(chance() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const CHOICE = /\{(\$\w+|[^{}]*\|[^{}]*)\}/

/** Chooses one way to say a sentence: `{a|b}` is one of both, `{$word}` one of the words of that name. */
export function said(sentence: string, words: Talk['words'], chance: Chance): string {
  let text = sentence
  for (let found = CHOICE.exec(text); found !== null; found = CHOICE.exec(text)) {
    const [whole, inner = ''] = found
    const choices = inner.startsWith('$') ? words.get(inner.slice(1)) : inner.split('|')
    if (choices === undefined) throw new Error(`no words called ${inner}`)
    const chosen = oneOf(choices, chance).replace(/\$(\w+)/g, '{$$$1}')
    text = `${text.slice(0, found.index)}${chosen}${text.slice(found.index + whole.length)}`
  }
  return text.replace(/^\p{Ll}/u, letter => letter.toUpperCase())
}
