/** Writes a plan as a request to the demo model. */
import type { Message, ToolSpec } from '../../model/plan.ts'
import type { Wire } from '../../model/provider.ts'

/** The request to the demo model. It knows nothing else. */
export type DemoRequest = {
  readonly model: string
  readonly voice: string
  readonly turn: number
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly max_tokens: number
}

/** The demo model's own wire: a plan, written as JSON. */
export const demoWire: Wire = {
  name: 'demo',
  version: 1,
  encode: ({ model, voice, ordinal, system, tools, messages, maxTokens }) => {
    const request: DemoRequest = { model, voice, turn: ordinal, system, tools, messages, max_tokens: maxTokens }
    return { url: 'demo:', body: JSON.stringify(request) }
  },
}
