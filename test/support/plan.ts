import type { SessionId } from '../../src/model/ids.ts'
import type { Plan } from '../../src/model/plan.ts'

/** A plan with nothing in it but one short message, and what is given. */
export const planOf = (given: Partial<Plan> = {}): Plan => ({
  session: 'ses_1' as SessionId,
  abilities: { images: true, files: true, cacheMinimum: 0 },
  through: { tools: 0, system: 0, stable: 0, whole: 0 },
  model: 'demo',
  voice: 'assistant',
  ordinal: 1,
  system: '',
  tools: [],
  messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hello.' }] }],
  maxTokens: 4096,
  window: 32_768,
  outline: [],
  items: [],
  thinkingTokens: null,
  stableMessages: 0,
  receipt: {
    through: 1,
    window: { begins: 1 },
    policy: 'steady@1',
    model: 'demo',
    voice: 'assistant',
    tokens: { estimated: 10, reported: null, cached: null, factor: 1, limit: 28_672, reserved: 4096 },
    degraded: null,
    ladder: [],
    in: [],
    out: [],
  },
  ...given,
})
