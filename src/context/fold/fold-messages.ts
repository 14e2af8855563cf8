/** The messages of a stretch as folds are made from them: who said each, and its texts. */
import type { VoiceId } from '../../model/voice.ts'
import { authorPrefix } from '../recall/language/author-prefix.ts'
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
export function foldMessages(units: readonly Unit[], names: SpeakerNames = {}): readonly FoldMessage[] {
  const messages = units.map(unit => messageOfUnit(unit, names))
  const prefixes = messages.map(({ words }) => authorPrefix(words))
  const named = prefixes.filter(prefix => prefix !== undefined)
  if (messages.length < 2 || named.length < messages.length * NAMED || new Set(named.map(({ name }) => name)).size > MOST_AUTHORS)
    return messages
  return messages.map((message, index) => {
    const prefix = prefixes[index]
    return prefix === undefined ? message : { ...message, speaker: prefix.name, words: message.words.slice(prefix.length) }
  })
}

/** A chat whose messages begin with their authors' names: so many of them do, and it has no more authors. */
const NAMED = 4 / 5
const MOST_AUTHORS = 20

function messageOfUnit(unit: Unit, names: SpeakerNames): FoldMessage {
  const [first] = unit.beats
  const isPerson = first?.kind !== 'said'
  const voice = first?.kind === 'said' ? first.voice : undefined
  const assistant = (voice === undefined ? undefined : names.voices?.[voice]) ?? names.assistant ?? ASSISTANT_NAME
  const words = unit.beats.map(wordsOfBeat).filter(each => each !== '')
  return {
    seq: unitSeq(unit),
    speaker: isPerson ? (names.person ?? PERSON_NAME) : assistant,
    isPerson,
    words: words.join('\n\n'),
    material: unit.beats.flatMap(materialOfBeat),
  }
}

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
