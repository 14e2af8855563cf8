/** What a reader of one session pieces together, on however many connections. */
import assert from 'node:assert/strict'
import type { Json } from '../http/client.ts'
import type { Frame } from '../http/frames.ts'

export type Notes = {
  /** The last event that was heard, to come back with. */
  readonly cursor: () => number
  readonly headers: () => Record<string, string>
  /** Hears a frame; true if it said something that was not known yet. */
  readonly hear: (frame: Frame) => boolean
  readonly isOver: (turns: number) => boolean
  /** Compares all that was heard with what the log has: each event once, and never a text that the reply did not begin with. */
  readonly check: (events: readonly Json[]) => void
  /** How many texts of replies were heard that went on later. */
  readonly beginnings: () => number
}

export function createNotes(): Notes {
  const events: Json[] = []
  const parts = new Map<string, string>()
  const shown: { readonly place: string; readonly text: string }[] = []
  let beginnings = 0
  const hearDelta = ({ turn, step, part, kind, offset, text }: Json): boolean => {
    // The arguments of a call come with the event of its reply.
    if (kind === 'call') return false
    const place = `${turn} ${step} ${part}`
    const before = parts.get(place) ?? ''
    assert.ok(offset <= before.length, `a delta at ${offset}, and ${before.length} characters are known`)
    const now = before.slice(0, offset) + text
    parts.set(place, now)
    shown.push({ place, text: now })
    return now.length > before.length
  }
  const cursor = (): number => events.at(-1)?.seq ?? 0
  return {
    cursor,
    headers: () => (cursor() === 0 ? {} : { 'last-event-id': String(cursor()) }),
    hear: ({ id, event, data }) => {
      if (event === 'delta') return hearDelta(data)
      if (event === 'notice') return false
      assert.ok(id !== undefined, `a ${event}: ${JSON.stringify(data)}`)
      assert.equal(id, cursor() + 1, 'each event comes once, and in order')
      events.push({ type: event, ...data })
      return true
    },
    isOver: turns => events.filter(({ type }) => type === 'turn.ended').length >= turns,
    beginnings: () => beginnings,
    check: stored => {
      assert.deepEqual(events, stored)
      const finals = new Map<string, string>()
      for (const { type, turn, step, parts: said } of stored)
        if (type === 'reply.finished')
          for (const [index, { text }] of said.entries()) finals.set(`${turn} ${step} ${index}`, text ?? '')
      for (const { place, text } of shown) {
        const whole = finals.get(place)
        assert.ok(whole !== undefined)
        assert.ok(whole.startsWith(text), `${place} showed ${JSON.stringify(text.slice(-80))}, which is not how it begins`)
        if (text.length < whole.length) beginnings += 1
      }
    },
  }
}
