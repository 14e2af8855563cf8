/** Makes the words of one turn from its deltas and replies, in order and each once. */
import type { Recorded } from '../../model/event.ts'
import type { HeardDelta } from '../../model/message/delta.ts'

/** A piece of an answer: words, thoughts, or part of a call that the client is to answer. */
export type SpeechPiece =
  | { readonly kind: 'text' | 'think'; readonly text: string }
  | {
      readonly kind: 'call'
      readonly index: number
      readonly text: string
      /** Where the call begins, and nowhere else. */
      readonly begins?: { readonly call: string; readonly tool: string }
    }

type Reply = Extract<Recorded, { type: 'reply.finished' | 'reply.broken' }>

/** One turn's words in order, each once: steps are paragraphs, what was cut off goes on without a seam. */
export type Speech = {
  readonly delta: (delta: HeardDelta) => readonly SpeechPiece[]
  /** What of a reply came in no delta, as with agents that do not stream. */
  readonly reply: (reply: Reply) => readonly SpeechPiece[]
}

export function createSpeech(passesCalls: boolean): Speech {
  const heard = new Map<string, number>()
  const spoken = new Set<number>()
  const calls = new Map<string, { readonly index: number; args: string }>()
  const place = { text: '', think: '' }
  /** What was said last broke off, and the next step goes on with it. */
  let isCut = false

  const words = (kind: 'text' | 'think', step: number, part: number, text: string): readonly SpeechPiece[] => {
    const here = `${step} ${part}`
    const before = place[kind]
    place[kind] = here
    const goesOn = before === here || before === '' || (kind === 'text' && isCut && !before.startsWith(`${step} `))
    return [{ kind, text: goesOn ? text : `\n\n${text}` }]
  }
  const called = (call: string, tool: string, text: string): readonly SpeechPiece[] => {
    if (!passesCalls) return []
    const known = calls.get(call)
    const { index } = known ?? { index: calls.size }
    calls.set(call, { index, args: (known?.args ?? '') + text })
    const opening: readonly SpeechPiece[] = known === undefined ? [{ kind: 'call', index, text: '', begins: { call, tool } }] : []
    return text === '' ? opening : [...opening, { kind: 'call', index, text }]
  }
  const delta: Speech['delta'] = ({ step, kind, part, offset, text, call = '', tool = '' }) => {
    spoken.add(step)
    const key = `${step} ${part}`
    const before = heard.get(key) ?? 0
    const fresh = text.slice(Math.max(0, before - offset))
    heard.set(key, Math.max(before, offset + text.length))
    if (kind === 'call') return called(call, tool, fresh)
    return fresh === '' ? [] : words(kind, step, part, fresh)
  }
  const whole = ({ step, parts }: Reply): readonly SpeechPiece[] =>
    parts.flatMap((part, index) => {
      if (part.type === 'call') return called(part.call, part.tool, part.raw ?? JSON.stringify(part.args))
      return part.text === '' ? [] : words(part.type, step, index, part.text)
    })
  /** A call without arguments is one with none, which clients want to read as JSON. */
  const unspoken = (): readonly SpeechPiece[] =>
    [...calls.values()].flatMap(call => {
      if (call.args.trim() !== '') return []
      call.args = '{}'
      return [{ kind: 'call' as const, index: call.index, text: '{}' }]
    })

  return {
    delta,
    reply: reply => {
      const pieces = spoken.has(reply.step) ? [] : whole(reply)
      const hasWords = place.text.startsWith(`${reply.step} `)
      isCut = reply.type === 'reply.broken' && (isCut || hasWords)
      return reply.type === 'reply.finished' ? [...pieces, ...unspoken()] : pieces
    },
  }
}
