// Names the voices of imported conversations.
import { slugOf } from '../../model/settings/slug.ts'
import type { FoundAdvisor } from '../input/found.ts'
import { importedLine } from './legible.ts'

/** A voice that answers in an imported file. */
export type ForeignVoice = { readonly id: string; readonly name: string }

export const FOREIGN_ASSISTANT: ForeignVoice = { id: 'assistant', name: 'Assistant' }

/** True for keys that `agents.json` and `councils.json` would refuse. */
const isNoKey = (slug: string): boolean => slug === '' || /^\d+$/.test(slug) || slug === 'constructor' || slug === 'prototype'

export function voiceKey(name: string, otherwise: string): string {
  const slug = slugOf(name)
  return isNoKey(slug) ? [otherwise, slug].filter(part => part !== '').join('-') : slug
}

/** The agent for a name in the file: `@ai-engineer` becomes `engineer`. */
export function foreignAgent(written: string): ForeignVoice {
  const key = voiceKey(written.replace(/^@(?:ai-)?/, ''), 'agent')
  return { id: key, name: importedLine(written, MOST_NAME) ?? key }
}

/** The advisors of one session. The same id in the file means the same advisor, even if the name differs. */
export type Advisors = {
  readonly byId: (id: string, name: string) => ForeignVoice
  readonly byName: (name: string) => ForeignVoice
  readonly all: () => readonly FoundAdvisor[]
}

export function createAdvisors(): Advisors {
  const known = new Map<string, ForeignVoice>()
  const names = new Map<string, ForeignVoice>()
  const taken = new Map<string, number>()
  const add = (id: string, written: string): ForeignVoice => {
    const base = voiceKey(id, 'advisor')
    let number = (taken.get(base) ?? 0) + 1
    while (number > 1 && taken.has(`${base}-${number}`)) number += 1
    taken.set(base, number)
    const key = number === 1 ? base : `${base}-${number}`
    taken.set(key, Math.max(1, taken.get(key) ?? 0))
    const speaker = { id: key, name: importedLine(written, MOST_NAME) ?? key }
    known.set(id, speaker)
    if (!names.has(written)) names.set(written, speaker)
    return speaker
  }
  return {
    byId: (id, name) => known.get(id) ?? add(id, name),
    byName: name => names.get(name) ?? known.get(name) ?? add(name, name),
    all: () => [...known.values()],
  }
}

const MOST_NAME = 200
