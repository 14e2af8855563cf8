// The context engine alone, in any program and in a browser: a conversation in, exact messages and a receipt out.
import { assemble, count, explain, type Material, presets, weigh } from 'turnwise/context'

const said = ['My budget is 40 euros.', 'Noted.', 'What should I buy?', 'Tea.', 'And with what is left?']
const events = said.map((text, index) => {
  const fact =
    index % 2 === 0
      ? ({ type: 'message.received', text, from: 'person' } as const)
      : ({ type: 'reply.finished', turn: `trn_${index}`, step: 1, parts: [{ type: 'text', text }] } as const)
  return { ...fact, session: 'ses_1', seq: index + 1, at: '2026-01-01T12:00:00.000Z', tokens: weigh(fact as never).tokens }
})

const material = {
  session: 'ses_1',
  voice: 'assistant',
  model: { name: 'demo', window: 32_000, factor: 1 },
  thinking: false,
  turn: { id: 'trn_now', step: 1, cause: said.length, ordinal: 3 },
  through: said.length,
  events,
  gaps: [],
  begins: null,
  marksThrough: said.length,
  voices: {},
  system: [{ source: 'mine', reason: 'system.agent', text: 'Be brief.' }],
  tools: [],
  asides: [],
  degraded: null,
} as unknown as Material

const policy = { ...presets.steady, window: { kind: 'last', messages: 2 } as const }
const plan = assemble(material, policy, { count, hash: text => `length:${text.length}` })
console.log(plan.ok ? explain(plan.value) : plan.fault.message)
