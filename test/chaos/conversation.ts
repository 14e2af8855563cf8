import type { VoiceId } from '../../src/model/voice.ts'

/** A message of the one conversation that every run has; its key is also its Idempotency-Key. */
export type Message = {
  readonly key: string
  readonly session: SessionName
  readonly text: string
  readonly to?: readonly VoiceId[]
  /** So many summaries its session has by then, where nothing was killed. */
  readonly folds?: number
}

/** In `told` and `noted` the window is small: what leaves it is summarized by the model, or in literal sentences. */
export type SessionName = 'agent' | 'council' | 'told' | 'noted'

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
  { key: 'gate', session: 'council', text: `${long('gate', 11)} How wide shall it be?`, to: ['ann'] },
  { key: 'path', session: 'council', text: `${long('path', 12)} Gravel or bark?`, to: ['ann'], folds: 1 },
  { key: 'bench', session: 'council', text: 'Where does the bench stand?', to: ['ann'], folds: 2 },
  { key: 'told-1', session: 'told', text: long('pond', 21) },
  { key: 'told-2', session: 'told', text: long('hedge', 22) },
  { key: 'told-3', session: 'told', text: long('roof', 23), folds: 1 },
  { key: 'told-4', session: 'told', text: long('well', 24), folds: 2 },
  { key: 'told-5', session: 'told', text: 'What is left for the last week?', folds: 3 },
  { key: 'noted-1', session: 'noted', text: long('orchard', 31) },
  { key: 'noted-2', session: 'noted', text: long('cellar', 32) },
  { key: 'noted-3', session: 'noted', text: long('bridge', 33), folds: 1 },
  { key: 'noted-4', session: 'noted', text: long('tower', 34), folds: 2 },
]

/** What fills a small window within a few messages. Questions are long and answers short, so that few frames are sent. */
function long(thing: string, number: number): string {
  return `Please note job J-${number}00 for the ${thing}. It takes ${number} days, needs two people, and begins when the ground is dry again. Nobody else may touch the ${thing} before the job is over, and the keys stay with me.`
}

/** What the model says of a stretch when it is asked for a summary. */
export const SUMMARY = 'The person had jobs noted, one after the other. Each of them begins when the ground is dry again.'

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
    ...Object.fromEntries(
      MESSAGES.filter(({ session }) => session === 'told' || session === 'noted').map(({ key }) => [
        key,
        [{ text: `Noted as ${key}.` }],
      ]),
    ),
  },
  ann: {
    round: [{ text: 'Yes, on Sundays — children love frogs.' }],
    aside: [{ text: 'My niece would, from a tin box by the gate.' }],
    gate: [{ text: 'As wide as a barrow.' }],
    path: [{ text: 'Bark, of course.' }],
    bench: [{ text: 'Under the pear.' }],
  },
  ben: { round: [{ text: 'Only if somebody mends the northern fence.' }] },
  cem: { round: [{ text: '\n\nQuiet hours first; visitors may come after ten.' }] },
  [SYNTHESIS]: { round: [{ text: 'They would open it [Ann] once the fence is mended [Ben].' }] },
}

/** What is said in a run: the messages, and every reply to them. */
export type Script = {
  readonly messages: readonly Message[]
  readonly replies: Readonly<Record<VoiceId, Readonly<Record<string, readonly Said[]>>>>
}

export const SCRIPT: Script = { messages: MESSAGES, replies: REPLIES }

/** Who answers a message. */
export const answering = (message: Message, { replies: all }: Script = SCRIPT): readonly VoiceId[] =>
  Object.entries(all).flatMap(([voice, replies]) => (replies[message.key] === undefined ? [] : [voice]))

/** One reply by its place in the conversation. */
export const replyName = (voice: VoiceId, key: string, step: number): string => `${voice} ${key} ${step}`
