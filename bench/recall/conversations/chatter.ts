// Small talk: people open a topic, ask, answer, react and drift on; at work one asks and the other looks things up.
import type { Chance } from '../../conversations.ts'
import { type Line, oneOf, said, type Talk } from './script.ts'
import type { Chatter } from './weave.ts'

/** How often a sentence is chosen anew when its words were said before. */
const TRIES = 12
/** Shorter texts may come again: people say "haha" more than once. */
const SHORT = 30
/** The topic whose sentences fit everywhere. */
const ANY = 'any'

const line = (author: string, text: string): Line => ({ author, key: null, topic: null, text })
const topicsOf = ({ topics }: Talk): readonly string[] => [...topics.keys()].filter(name => name !== ANY)

/** Talk among these authors; `talks` are chosen one per scene, so that a chat may change its language. */
export function chatterOf(talks: readonly Talk[], authors: readonly string[]): Chatter {
  const before = new Set<string>()

  const fresh = (talk: Talk, sentences: readonly string[], chance: Chance): string => {
    let text = ''
    for (let tries = 0; tries < TRIES; tries += 1) {
      text = said(oneOf(sentences, chance), talk.words, chance)
      if (text.length < SHORT || !before.has(text)) break
    }
    before.add(text)
    return text
  }

  return chance => {
    const talk = oneOf(talks, chance)
    const topic = oneOf(topicsOf(talk), chance)
    const about = (name: string, uses: readonly string[]): readonly string[] =>
      uses.flatMap(use => {
        const sentences = talk.topics.get(name)?.get(use) ?? talk.topics.get(ANY)?.get(use) ?? []
        return sentences.length === 0 ? [] : [fresh(talk, sentences, chance)]
      })
    const say = (...uses: readonly string[]): string => joined(about(topic, uses))
    /** Something else comes to mind. */
    const drift = (): string => joined(about(oneOf(topicsOf(talk), chance), ['open']))
    /** Each question has its answer in the same place of the file. */
    const place = Math.floor(chance() * (talk.topics.get(topic)?.get('ask')?.length ?? 0))
    const placed = (use: string): string => said(talk.topics.get(topic)?.get(use)?.[place] ?? '', talk.words, chance)

    const opener = oneOf(authors, chance)
    const others = authors.filter(each => each !== opener)
    const other = oneOf(others, chance)
    const third = oneOf(others, chance)
    const first = chance() < 0.3 ? say('react', 'open') : chance() < 0.7 ? say('react') : ''
    const then = chance() < 0.4 ? drift() : chance() < 0.5 ? say('more') : ''
    const lines = [
      line(opener, chance() < 0.6 ? say('open', 'more') : say('open')),
      line(other, joined([first, placed('ask')])),
      line(opener, joined([placed('answer'), then])),
    ]
    if (chance() < 0.6)
      lines.push(line(third, joined([say('react'), chance() < 0.4 ? '' : chance() < 0.5 ? say('open') : drift()])))
    if (chance() < 0.4) lines.push(line(opener, say('more', 'close')))
    if (chance() < 0.4) lines.push(line(other, say('close')))
    return lines
  }
}

/** Sentences of scripts without spaces follow each other directly. */
function joined(parts: readonly string[]): string {
  const some = parts.filter(part => part !== '')
  return some.join(some.some(part => /[。！？]$/.test(part)) ? '' : ' ')
}

/** Talk at work: what one asks, what the other finds, what is done about it, each in the same place of the file. */
export function workOf(talk: Talk, { user, assistant }: { readonly user: string; readonly assistant: string }): Chatter {
  return chance => {
    const topic = talk.topics.get(oneOf(topicsOf(talk), chance))
    const place = Math.floor(chance() * (topic?.get('open')?.length ?? 0))
    const placed = (use: string): string => said(topic?.get(use)?.[place] ?? '', talk.words, chance).replaceAll('\\n', '\n')
    const any = (use: string): string => said(oneOf(talk.topics.get(ANY)?.get(use) ?? [], chance), talk.words, chance)
    const lines = [line(user, placed('open')), line(assistant, placed('ask'))]
    if (chance() < 0.8) {
      lines.push(line(user, joined([placed('answer'), chance() < 0.3 ? any('more') : ''])))
      lines.push(line(assistant, placed('react')))
    }
    if (chance() < 0.3) lines.push(line(user, any('close')))
    return lines
  }
}
