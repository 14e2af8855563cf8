import type { Answer, Beat, Draft, LeftOut, Said } from './draft.ts'
import { count } from './tokens.ts'

/** What a model reads where a call was started and nothing is known of its end. */
export const UNKNOWN_EFFECTS = 'interrupted, its effects are unknown'
const UNKNOWN_TOKENS = count(UNKNOWN_EFFECTS)

/** Makes every beat sound: each call answered exactly once, nothing empty. Doing it twice changes nothing. */
export function sanitize(draft: Draft): Draft {
  const beats: Beat[] = []
  const left: LeftOut[] = [...draft.left]
  for (const beat of draft.beats) {
    if (beat.kind !== 'said') {
      if (beat.text.trim() === '')
        left.push({ from: beat.seq, to: beat.seq, messages: [`${beat.kind} ${beat.seq}`], reason: 'out.malformed' })
      else beats.push(beat)
      continue
    }
    const parts = soundParts(beat)
    if (parts.length === 0) left.push({ from: beat.seq, to: beat.to, messages: [`turn ${beat.turn}`], reason: 'out.malformed' })
    else beats.push(answered({ ...beat, parts }))
  }
  return { beats, left }
}

/** Without blank texts, which providers refuse, and with only the first of two calls of one id. */
function soundParts(said: Said): Said['parts'] {
  const seen = new Set<string>()
  return said.parts.filter(part => {
    if (part.type === 'text') return part.text.trim() !== ''
    if (seen.has(part.call)) return false
    seen.add(part.call)
    return true
  })
}

function answered(said: Said): Said {
  const calls = said.parts.flatMap(part => (part.type === 'call' ? [part.call] : []))
  const answers = calls.map(
    (call): Answer => said.answers.find(answer => answer.call === call) ?? { call, ok: false, text: UNKNOWN_EFFECTS },
  )
  const invented = answers.filter(answer => !said.answers.includes(answer)).length
  return { ...said, answers, tokens: said.tokens + invented * UNKNOWN_TOKENS }
}
