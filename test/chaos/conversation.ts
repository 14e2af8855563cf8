import type { VoiceId } from '../../src/model/voice.ts'

/** A message of the one conversation that every run has; its key is also its Idempotency-Key. */
export type Message = {
  readonly key: string
  readonly session: SessionName
  readonly text: string
  readonly to?: readonly VoiceId[]
}

export type SessionName = 'agent' | 'council'

/** What a model says in one step. */
export type Said = { readonly text: string; readonly call?: { readonly tool: string; readonly args: object } }

export const CLERK: VoiceId = 'assistant'
export const SYNTHESIS: VoiceId = 'house:synthesis'
export const ADVISORS: readonly VoiceId[] = ['ann', 'ben', 'cem']

export const MESSAGES: readonly Message[] = [
  { key: 'plain', session: 'agent', text: 'Which bulbs go into the ground in autumn?' },
  { key: 'tools', session: 'agent', text: 'Look at the shed, then order what is missing.' },
  { key: 'round', session: 'council', text: 'Shall we open the garden to visitors?' },
  { key: 'aside', session: 'council', text: 'And who would sell the tickets?', to: ['ann'] },
]

/**
 * Every reply there is, by voice and message, step by step. Some begin a line as a transcript does, one begins with blank
 * lines, one is nothing but a call, one has letters of two units: whatever makes it harder to go on in the middle.
 */
export const REPLIES: Readonly<Record<VoiceId, Readonly<Record<string, readonly Said[]>>>> = {
  [CLERK]: {
    plain: [{ text: 'Tulips 🌷 and crocus,\n\n$user: squill too,\n=== all by November ===' }],
    tools: [
      { text: 'First a walk to the shed. ', call: { tool: 'look', args: { what: 'look' } } },
      { text: '', call: { tool: 'act', args: { what: 'act' } } },
      { text: 'The shed lacked twine;\n\\$call: twenty metres are on their way.' },
    ],
  },
  ann: {
    round: [{ text: 'Yes, on Sundays — children love frogs.' }],
    aside: [{ text: 'My niece would, from a tin box by the gate.' }],
  },
  ben: { round: [{ text: 'Only if somebody mends the northern fence.' }] },
  cem: { round: [{ text: '\n\nQuiet hours first; visitors may come after ten.' }] },
  [SYNTHESIS]: { round: [{ text: 'They would open it [Ann] once the fence is mended [Ben].' }] },
}

/** Who answers a message. */
export const answering = (message: Message): readonly VoiceId[] =>
  Object.entries(REPLIES).flatMap(([voice, replies]) => (replies[message.key] === undefined ? [] : [voice]))

/** One reply by its place in the conversation. */
export const replyName = (voice: VoiceId, key: string, step: number): string => `${voice} ${key} ${step}`
