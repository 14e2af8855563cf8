// Long answers of an assistant: paragraphs, lists, tables and code about a topic, with one sentence that matters in the middle.
import type { Chance } from '../../conversations.ts'
import { type Line, oneOf, said, type Talk } from './script.ts'
import type { Chatter } from './weave.ts'

/** Sentences that fit every topic. */
const GENERAL = 'general'

/** Hides the sentence of a line in the middle of an answer about the line's topic. */
export function longAnswerOf(talk: Talk): (line: Line, chance: Chance) => string {
  return ({ topic: name, text }, chance) => {
    const topic = talk.topics.get(name ?? '')
    if (topic === undefined) throw new Error(`no topic is called ${name}`)
    /** What is left to say, so that an answer does not repeat itself. */
    const left = new Map([...topic].map(([use, sentences]) => [use, [...sentences]]))
    left.set('para', [...(topic.get('para') ?? []), ...(talk.topics.get(GENERAL)?.get('para') ?? [])])
    const some = (use: string, many: number): readonly string[] => {
      const own = left.get(use) ?? []
      return Array.from({ length: Math.min(many, own.length) }, () => {
        const [sentence = ''] = own.splice(Math.floor(chance() * own.length), 1)
        return said(sentence, talk.words, chance).replaceAll('\\n', '\n')
      })
    }
    const prose = (many: number): string => some('para', many).join(' ')
    const list = some('point', 4 + Math.floor(chance() * 3)).map((point, index) => `${index + 1}. ${point}`)
    const table = (): string => ['| What | How much | When |', '|---|---|---|', ...rows().map(row => `| ${row} |`)].join('\n')
    const rows = (): readonly string[] =>
      [0, 1, 2].flatMap(() => (topic.get('row') ?? []).map(row => said(row, talk.words, chance)))
    const extra = topic.has('code') ? some('code', 1 + Math.floor(chance() * 2)).join('\n\n') : table()
    // Where the sentence goes is left to chance, but never first and never last.
    const before = [some('intro', 1).join(''), prose(3 + Math.floor(chance() * 3))]
    const after = [list.join('\n'), prose(3), ...(chance() < 0.7 ? [extra] : []), ...(chance() < 0.6 ? [prose(5)] : [])]
    const held = `${prose(1 + Math.floor(chance() * 2))} ${text} ${prose(2)}`
    const middle = chance() < 0.5 ? [...before, held, ...after] : [...before, ...after.slice(0, 2), held, ...after.slice(2)]
    return [...middle, some('outro', 1).join('')].filter(part => part !== '').join('\n\n')
  }
}

/** Ordinary questions to an assistant with long answers. */
export function exchangesOf(talk: Talk, { user, assistant }: { readonly user: string; readonly assistant: string }): Chatter {
  return chance => {
    const name = oneOf(
      [...talk.topics.keys()].filter(topic => topic !== GENERAL),
      chance,
    )
    const asks = talk.topics.get(name)?.get('ask') ?? []
    const many = chance() < 0.3 ? 2 : 1
    return Array.from({ length: many }, () => [
      { author: user, key: null, topic: null, text: said(oneOf(asks, chance), talk.words, chance) },
      {
        author: assistant,
        key: null,
        topic: name,
        text: said(oneOf(talk.topics.get(name)?.get('para') ?? [], chance), talk.words, chance),
      },
    ]).flat()
  }
}
