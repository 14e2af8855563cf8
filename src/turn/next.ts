import type { Recorded } from '../model/event.ts'

/** What a lane should do now. */
export type Due = { readonly do: 'start'; readonly cause: number } | { readonly do: 'rest' }

/** Asked with everything after the last heard message: the first message that nobody has heard wants a turn. */
export function next(unheard: readonly Recorded[]): Due {
  const message = unheard.find(event => event.type === 'message.received')
  return message === undefined ? { do: 'rest' } : { do: 'start', cause: message.seq }
}
