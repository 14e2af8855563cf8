import type { Delta } from './delta.ts'
import type { Plan } from './plan.ts'

/** The exact bytes of a request, before anything is sent. */
export type Encoded = { readonly url: string; readonly body: string }

/** How a kind of provider is spoken to. Pure: the same plan gives the same bytes. */
export type Wire = { readonly name: string; readonly version: number; readonly encode: (plan: Plan) => Encoded }

/**
 * Carries encoded requests to a model and brings back deltas.
 * Must not throw for ordinary trouble: the last delta is `done` or `fault`.
 */
export type Provider = {
  readonly wire: Wire
  readonly speak: (request: Encoded, signal: AbortSignal) => AsyncIterable<Delta>
}

export const wireLabel = (wire: Wire): string => `${wire.name}@${wire.version}`
