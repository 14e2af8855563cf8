import { BEFORE_STRETCH } from '../../src/context/fold/fold-text.ts'
import type { TranscriptEvent } from '../../src/context/transcript/format.ts'
import { parse } from '../../src/context/transcript/parse.ts'
import { FOLD } from '../../src/model/settings/council.ts'
import type { VoiceId } from '../../src/model/voice.ts'
import { type Said, SCRIPT, type Script, SUMMARY } from './conversation.ts'

/** What a request asks for, as the model can tell from it alone. */
export type Asked = {
  readonly voice: VoiceId
  readonly key: string
  readonly step: number
  /** The rest of what is to be said, where it was cut off; else all of it. */
  readonly say: Said
}

type ChatMessage = { readonly role: string; readonly content?: string | readonly { readonly text?: string }[] | null }

/** A chat request as the model reads it; what it cannot make sense of is thrown, and fails the run. */
export function askedBy(
  { model, messages }: { readonly model: string; readonly messages: readonly ChatMessage[] },
  script: Script = SCRIPT,
): Asked {
  const voice = Object.keys(script.replies).find(each => modelOf(each) === model)
  if (voice === undefined) throw new Error(`nobody speaks with the model ${model}`)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const [asking = '', note] = textOf(messages[last]).split(CUT_OFF)
  if (FOLD_ASKED.some(words => asking.startsWith(words)))
    return { voice: FOLD, key: lastKey(messages, script), step: 0, say: { text: SUMMARY } }
  // What stands beside the message comes before the transcript.
  const begins = asking.search(/^=== (HISTORY|CURRENT) ===$/m)
  if (begins !== -1) return inTranscript(voice, parse(asking.slice(begins)).current, note !== undefined, script)
  const at = lastWithKey(messages, script)
  const key = lastKey(messages, script)
  const step = messages.slice(at).filter(({ role }) => role === 'tool').length
  return { voice, key, step, say: reply(voice, key, step, script) }
}

function inTranscript(voice: VoiceId, current: readonly TranscriptEvent[], isCut: boolean, script: Script): Asked {
  const [first] = current
  const key = (first?.type === 'user' ? keyIn(first.text, script) : undefined) ?? ''
  const step = current.filter(({ type }) => type === 'result').length
  const whole = reply(voice, key, step, script)
  const last = current.at(-1)
  if (!isCut) {
    if (last?.type === 'respond') throw new Error(`${voice} ${key} ${step}: it had begun to answer and is not told so`)
    return { voice, key, step, say: whole }
  }
  if (last?.type !== 'respond') throw new Error(`${voice} ${key} ${step}: told that it was cut off, and nothing was`)
  if (!whole.text.startsWith(last.text))
    throw new Error(`${voice} ${key} ${step}: asked to go on from what was never said: ${JSON.stringify(last.text)}`)
  return { voice, key, step, say: { ...whole, text: whole.text.slice(last.text.length) } }
}

function reply(voice: VoiceId, key: string, step: number, { replies }: Script): Said {
  const said = replies[voice]?.[key]?.[step]
  if (said === undefined) throw new Error(`${voice} was asked for what nobody wanted: ${key || 'no message'}, step ${step}`)
  return said
}

const lastWithKey = (messages: readonly ChatMessage[], script: Script): number =>
  messages.findLastIndex(message => message.role === 'user' && keyIn(textOf(message), script) !== undefined)
const lastKey = (messages: readonly ChatMessage[], script: Script): string =>
  keyIn(textOf(messages[lastWithKey(messages, script)]), script) ?? ''

const keyIn = (text: string, { messages }: Script): string | undefined =>
  messages.findLast(message => text.includes(message.text))?.key

/** Servers that know only plain text get all of it in one. */
function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n\n')
}

/** How a model is asked for a summary: behind its last request, or with the messages as one text. */
const FOLD_ASKED = ['[This is a note of the program, not of the person.', BEFORE_STRETCH.trimEnd()]

/** How a model is told to go on. */
const CUT_OFF = '\n\n[You were cut off at the very end'

/** The model that a voice speaks with, so that a request says whose it is. */
export const modelOf = (voice: VoiceId): string => voice.replace(':', '-')
