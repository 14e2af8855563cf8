import { UNKNOWN_EFFECTS } from '../context/sanitize.ts'
import type { Checkpoint, OpenTurn } from '../log/log.ts'
import type { Fact, Recorded } from '../model/event.ts'
import { fault } from '../model/fault.ts'

/**
 * What has to be written for a turn that a crash left open: what its reply had said so far, an end for every call
 * that was started, and the turn's own end. `events` are the turn's own.
 */
export function closing(
  { turn, voice }: OpenTurn,
  events: readonly Recorded[],
  checkpoint: Checkpoint | undefined,
): readonly Fact[] {
  const settled = new Set(events.flatMap(event => (event.type === 'tool.settled' ? [event.call] : [])))
  const broken: Fact[] =
    checkpoint === undefined || checkpoint.parts.length === 0
      ? []
      : [{ type: 'reply.broken', turn, step: checkpoint.step, parts: checkpoint.parts, fault: STOPPED }]
  const unknown: Fact[] = events.flatMap(event =>
    event.type === 'tool.started' && !settled.has(event.call)
      ? [{ type: 'tool.settled', turn, call: event.call, tool: event.tool, ok: false, outcome: UNKNOWN_EFFECTS, ms: 0 }]
      : [],
  )
  return [...broken, ...unknown, { type: 'turn.ended', turn, voice, reason: 'interrupted' }]
}

const STOPPED = fault('cancelled', 'the gateway stopped while this was being said')
