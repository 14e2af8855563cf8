/** A round of six advisors in which each stands differently, as the gateway would send it. */
const at = '2026-01-02T12:00:00.000Z'

const NAMES = ['Ada', 'Buber', 'Seth', 'Dee', 'Emil', 'Fay'] as const
const ROLES = [
  'You doubt what is obvious.',
  'You ask who else is there.',
  'You know what things sell for.',
  'You keep the books.',
  'You build.',
  'You wait.',
] as const
const COLORS = ['#1a71b6', '#d67a0e', '#21a378', '#b87db6', '#a15b09', '#8683f4'] as const

export const SCENE_COUNCIL: { readonly key: string } & Readonly<Record<string, unknown>> = {
  ...{ key: 'scene', name: 'Scene', references: 'last-round', early: { turns: 2 } },
  advisors: NAMES.map((name, index) => ({
    ...{ id: name.toLowerCase(), name, description: ROLES[index], color: COLORS[index], active: name !== 'Fay' },
  })),
}

export const SCENE_SESSION: Readonly<Record<string, unknown>> = {
  ...{ id: 'ses_scene', title: 'Pricing question', preview: null, agent: null, council: 'scene', project: null },
  ...{ policy: 'council', model: null, archived: false, createdAt: at, updatedAt: at, messages: 8, family: 'ses_scene' },
}

const LONG = `**Key:** test it on five people before you decide. ${'Raise it for new customers only, and watch what they do in the first week. '.repeat(14)}`

const line = (reason: string, from?: number, to?: number) => ({ kind: 'note', from, to, tokens: 40, reason, hash: 'h' })
const receipt = (voice: string, ...more: readonly object[]) => ({
  ...{ id: `rcp_${voice}`, digest: 'sha256:0', through: 1, window: { begins: 1 }, policy: 'council@1', model: 'demo', voice },
  ...{ tokens: { estimated: 6148, reported: 6201, cached: 5510, factor: 1, limit: 32000, reserved: 1024 }, degraded: null },
  ...{ timings: { readMs: 1, assembleMs: 1 }, ladder: [], cache: null, out: [], in: [line('system.agent'), ...more] },
  inputs: {
    turn: 't',
    cause: 1,
    ordinal: 1,
    wire: 'demo@1',
    window: 1,
    policy: 'p',
    system: [],
    tools: '',
    asides: [],
    voices: '',
  },
})
const usage = { input: 691, output: 120, cacheRead: 5510, cacheWrite: 0 }
const took = { firstMs: 400, thinkMs: 4000, ms: 8200 }

const FIRST = NAMES.slice(0, 5).flatMap((name, index) => {
  const [turn, voice] = [`trn_${index}`, name.toLowerCase()]
  const text = ['Who pays today?', 'For whom is it?', 'What do others ask?', 'What does it cost you?', 'When is the launch?'][
    index
  ]
  return [
    ['turn.started', { turn, voice, cause: 1 }],
    ['context.planned', { turn, step: 1, receipt: receipt(`${voice} 1`, line('note.turn')) }],
    ['reply.finished', { turn, step: 1, parts: [{ type: 'text', text }], usage: { ...usage, costUsd: 0.0104 }, took }],
    ['turn.ended', { turn, voice, reason: 'done' }],
  ] as const
})
const CAUSE = FIRST.length + 2

const begins = (name: string, more: readonly object[] = []) => {
  const [turn, voice] = [`trn_${name}`, name]
  return [
    ['turn.started', { turn, voice, cause: CAUSE }],
    ['context.planned', { turn, step: 1, receipt: receipt(`${voice} 2`, line('reference.last-round', 4, CAUSE - 1), ...more) }],
  ] as const
}
const budget = { kind: 'budget', message: 'of $1.00 for today, $0.99 is used up', retryable: false }
const broken = { kind: 'unreachable', message: 'the line went dead', retryable: true }

const SECOND = [
  ...[...begins('ada'), ...begins('buber'), ...begins('seth'), ...begins('dee'), ...begins('emil')],
  [
    'reply.finished',
    {
      ...{ turn: 'trn_ada', step: 1, usage: { ...usage, costUsd: 0.0104 }, took },
      parts: [
        { type: 'think', text: 'They have not asked anybody yet.' },
        { type: 'text', text: LONG },
      ],
    },
  ],
  ['turn.ended', { turn: 'trn_ada', voice: 'ada', reason: 'done' }],
  ['turn.ended', { turn: 'trn_seth', voice: 'seth', reason: 'failed', fault: budget }],
  [
    'reply.finished',
    {
      ...{ turn: 'trn_dee', step: 1, usage, took },
      parts: [
        { type: 'text', text: 'I will look it up.' },
        { type: 'call', call: 'c1', tool: 'ledger', args: { year: 2025 } },
      ],
    },
  ],
  [
    'approval.asked',
    { approval: 'apr_1', turn: 'trn_dee', call: 'c1', tool: 'ledger', argv: ['ledger', '--year', '2025', 'show all'] },
  ],
  ['reply.broken', { turn: 'trn_emil', step: 1, parts: [{ type: 'text', text: 'Build the small' }], fault: broken }],
  ['turn.ended', { turn: 'trn_emil', voice: 'emil', reason: 'interrupted' }],
  ['turn.started', { turn: 'trn_emil2', voice: 'emil', cause: CAUSE, resumes: 'trn_emil' }],
  ['reply.finished', { turn: 'trn_emil2', step: 1, parts: [{ type: 'text', text: 'Build the small one.' }], usage }],
  ['turn.ended', { turn: 'trn_emil2', voice: 'emil', reason: 'done' }],
] as const

const events = [
  ['message.received', { text: 'Should I raise my price before the launch?', from: 'person' }],
  ...FIRST,
  ['message.received', { text: 'There are forty who pay.', from: 'person' }],
  ...SECOND,
] as const

const delta = {
  turn: 'trn_buber',
  step: 1,
  kind: 'text',
  part: 0,
  offset: 0,
  text: 'Who is the one that would pay more? I would ask',
}

export const SCENE: string = [
  ...events.map(
    ([type, data], index) =>
      `id: ${index + 1}\nevent: ${type}\ndata: ${JSON.stringify({ session: 'ses_scene', seq: index + 1, at, ...data })}\n\n`,
  ),
  `event: delta\ndata: ${JSON.stringify(delta)}\n\n`,
].join('')
