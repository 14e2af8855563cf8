/** Writes the prompt from which the house makes a synthesis of a round. */
import { foldLabel } from '../../context/synthesis/citations.ts'
import type { Aside, Stretch, SystemPart } from '../../model/plan.ts'
import type { SynthesisMode } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { PROMPTS, type Prompts } from './prompts.ts'

/** What one advisor said in a round, and its seq in the log. */
export type RoundAnswer = { readonly voice: VoiceId; readonly name: string; readonly text: string; readonly seq: number }

/** How each voice of a round is cited: by its name, or by name and id if two names could be confused. */
export function citationLabels(answers: readonly RoundAnswer[]): ReadonlyMap<VoiceId, string> {
  const named = [...new Map(answers.map(({ voice, name }) => [voice, nameOf(voice, name)]))]
  return new Map(
    named.map(([voice, name]) => {
      const isShared = named.some(
        ([other, same]) => other !== voice && [same, withId(same, other)].some(taken => foldLabel(taken) === foldLabel(name)),
      )
      return [voice, isShared ? withId(name, voice) : name]
    }),
  )
}

/** A whole round as the synthesis reads it: each answer may be shortened where there is no room, and none is left out. */
export function roundAside(answers: readonly RoundAnswer[]): Aside {
  const labels = citationLabels(answers)
  const blocks = answers.map(({ voice, text }) => ({ label: `${labels.get(voice)}: `, text }))
  return requiredAside('[This is what the advisors answered:\n\n', blocks, ']')
}

type LabeledText = { readonly label: string; readonly text: string }

/** A text that a request is about, of which only the labeled texts may be shortened. */
export function requiredAside(before: string, blocks: readonly LabeledText[], after: string): Aside {
  let text = before
  const required: Stretch[] = []
  for (const [index, block] of blocks.entries()) {
    text += `${index === 0 ? '' : '\n\n'}${block.label}`
    required.push({ from: text.length, to: text.length + block.text.length })
    text += block.text
  }
  return { kind: 'reference', reason: 'reference.last-round', text: text + after, required }
}

/** The system text before the round; `words` are the workspace's own, if it has them. */
export const synthesisParts = (mode: SynthesisMode, words: Prompts['synthesis'] = PROMPTS.synthesis): readonly SystemPart[] => [
  { source: `synthesis ${mode}`, reason: 'system.agent', text: words[mode] },
]

/** A name of nothing but signs would look like an empty bracket. */
const nameOf = (voice: VoiceId, name: string): string => withoutSigns(foldLabel(withoutSigns(name)) === '' ? voice : name)

const withId = (name: string, voice: VoiceId): string => `${name} (${withoutSigns(voice)})`

/** A name without the signs that mean something in a citation, on one line. */
const withoutSigns = (name: string): string =>
  name
    .replace(/[[\];:"“”„‟\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
