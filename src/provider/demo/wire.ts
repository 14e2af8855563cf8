/** Writes a plan as a request to the demo model. */
import type { Message, ToolSpec } from '../../model/plan.ts'
import type { Wire } from '../../model/provider.ts'
import type { Sampling } from '../../model/sampling.ts'

/** The request to the demo model. It knows nothing else. */
export type DemoRequest = {
  readonly model: string
  readonly voice: string
  readonly turn: number
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly max_tokens: number
  /** A script has no chance in it: only `stop` changes what it says. The rest is there to be looked at. */
  readonly sampling?: Sampling
}

/** The demo model's own wire: a plan, written as JSON. */
export const demoWire: Wire = {
  name: 'demo',
  version: 1,
  encode: ({ model, voice, ordinal, system, tools, messages, maxTokens, sampling }) => {
    const request: DemoRequest = {
      ...{ model, voice, turn: ordinal, system, tools, messages, max_tokens: maxTokens },
      ...(sampling === undefined ? {} : { sampling }),
    }
    return { url: 'demo:', body: JSON.stringify(request) }
  },
}
