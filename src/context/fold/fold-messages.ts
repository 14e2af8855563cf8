/** The messages of a stretch as folds are made from them: who said each, and its texts. */
import type { VoiceId } from '../../model/voice.ts'
import type { MessageText } from '../recall/message-texts.ts'
import { PERSON_NAME } from '../recall/recall-block.ts'
import type { Beat } from '../stages/draft.ts'
import { unitSeq } from '../window/units.ts'
import type { Unit } from '../window/window-kind.ts'

/** One message of a conversation, as a person counts them. */
export type FoldMessage = {
  readonly seq: number
  /** How its speaker is called. */
  readonly speaker: string
  readonly isPerson: boolean
  /** What was said. */
  readonly words: string
  /** What came with it, by its name: files, arguments of calls, and results. */
  readonly material: readonly MessageText[]
}

/** How the speakers are called; `voices` by their ids. */
export type SpeakerNames = {
  readonly person?: string
  readonly assistant?: string
  readonly voices?: Readonly<Record<VoiceId, string>>
}

const ASSISTANT_NAME = 'Assistant'

/** Of a result or a file, so many characters are read. */
const MOST_READ = 256 << 10

/** The messages of a conversation, from its beats as the assembly divides them. Thinking is none of it. */
export const foldMessages = (units: readonly Unit[], names: SpeakerNames = {}): readonly FoldMessage[] =>
  units.map(unit => {
    const [first] = unit.beats
    const isPerson = first?.kind !== 'said'
    const voice = first?.kind === 'said' ? first.voice : undefined
    const assistant = (voice === undefined ? undefined : names.voices?.[voice]) ?? names.assistant ?? ASSISTANT_NAME
    return {
      seq: unitSeq(unit),
      speaker: isPerson ? (names.person ?? PERSON_NAME) : assistant,
      isPerson,
      words: unit.beats
        .map(wordsOfBeat)
        .filter(words => words !== '')
        .join('\n\n'),
      material: unit.beats.flatMap(materialOfBeat),
    }
  })

function wordsOfBeat(beat: Beat): string {
  if (beat.kind !== 'said') return beat.text.trim()
  return beat.parts
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim()
}

function materialOfBeat(beat: Beat): readonly MessageText[] {
  if (beat.kind === 'summary') return []
  if (beat.kind === 'heard')
    return beat.attachments.map(file => materialText(file.name, file.type === 'text' ? file.text : file.name))
  const calls = beat.parts.flatMap(part =>
    part.type === 'call' ? [materialText(part.tool, part.raw ?? JSON.stringify(part.args) ?? '')] : [],
  )
  return [...calls, ...beat.answers.map(({ text }) => materialText('', text))]
}

const materialText = (name: string, text: string): MessageText => ({ name, text: text.slice(0, MOST_READ) })
