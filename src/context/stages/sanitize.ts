/** Stage 2, sanitize: every call has exactly one answer, and nothing is empty. */
import type { Part, Thinking } from '../../model/event.ts'
import { count } from '../text/tokens.ts'
import { type Beat, type CallAnswer, type Draft, isCall, type LeftOut, leftOut, type SaidBeat } from './draft.ts'

/** What a model reads where a call was started and nothing is known of its end. */
export const UNKNOWN_EFFECTS = 'interrupted, its effects are unknown'
const UNKNOWN_TOKENS = count(UNKNOWN_EFFECTS)

/** Makes every beat sound: each call answered exactly once, nothing empty. Doing it twice changes nothing. */
export function sanitize(draft: Draft): Draft {
  const left: LeftOut[] = [...draft.left]
  const sound = <Kind extends Beat>(beats: readonly Kind[]): Kind[] =>
    beats.flatMap(beat => {
      const mended = beat.kind === 'said' ? answered(beat, soundParts(beat)) : beat
      if (!isEmpty(mended)) return [mended as Kind]
      left.push(leftOut(beat, 'out.malformed'))
      return []
    })
  return { beats: sound(draft.beats), others: sound(draft.others), left }
}

/** Thinking alone is not an answer; a file alone is a message. */
function isEmpty(beat: Beat): boolean {
  // Where it was cut off in the middle of a thought, it goes on from there.
  if (beat.kind === 'said') return beat.parts.every(part => part.type === 'think') && !(beat.isBroken && beat.parts.length > 0)
  return beat.text.trim() === '' && (beat.kind === 'summary' || beat.attachments.length === 0)
}

/** Without blank texts, which providers refuse unless they are sealed, and with only the first of two calls of one id. */
function soundParts(said: SaidBeat): readonly Part[] {
  const seen = new Set<string>()
  return said.parts.filter(part => {
    if (!isCall(part)) return part.text.trim() !== '' || (part.type === 'think' && isSealed(part))
    if (seen.has(part.call)) return false
    seen.add(part.call)
    return true
  })
}

/** Thinking that is not shown still has to go back within its turn. */
const isSealed = ({ signature = '', redacted = '' }: Thinking): boolean => signature !== '' || redacted !== ''

/** Gives back the same object if it is sound already, so that its item and hash can be reused. */
function answered(said: SaidBeat, parts: readonly Part[]): SaidBeat {
  const calls = parts.filter(isCall).map(part => part.call)
  const answers = calls.map(
    (call): CallAnswer => said.answers.find(answer => answer.call === call) ?? { call, ok: false, text: UNKNOWN_EFFECTS },
  )
  const isSound = parts.length === said.parts.length && answers.length === said.answers.length
  if (isSound && answers.every((answer, index) => answer === said.answers[index])) return said
  const invented = answers.filter(answer => !said.answers.includes(answer)).length
  return { ...said, parts, answers, tokens: said.tokens + invented * UNKNOWN_TOKENS }
}
