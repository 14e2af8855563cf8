// However a turn's words come, in deltas or whole, cut off or not, they are put together as everywhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSpeech, type SpeechPiece } from '../../../src/gateway/openai/speech.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { SpokenReply } from '../../../src/model/message/spoken.ts'
import { spokenText } from '../../../src/model/turn-view/join-cuts.ts'
import { tries } from '../../support/tries.ts'

const turn = 'trn_1' as TurnId
const text = fc.string({ minLength: 1, maxLength: 12 })
const part = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('think' as const), text }),
  fc.record({
    type: fc.constant('call' as const),
    call: fc.constantFrom('a', 'b'),
    tool: fc.constant('look'),
    args: fc.constant({}),
  }),
)
const reply = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  isBroken: fc.boolean(),
  /** 0: nobody heard it before it was whole. */
  every: fc.integer({ min: 0, max: 4 }),
})

test('what is heard of a turn is its whole answer', () => {
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 4 }), steps => {
      const speech = createSpeech(false)
      const pieces: SpeechPiece[] = []
      const replies = steps.map(({ parts, isBroken }, index): SpokenReply => {
        const event = { session: 'ses_1' as SessionId, seq: index + 1, at: '', tokens: 0, turn, step: index + 1, parts }
        return isBroken
          ? { ...event, type: 'reply.broken', fault: fault('unreachable', 'gone') }
          : { ...event, type: 'reply.finished' }
      })
      replies.forEach((each, index) => {
        const every = steps[index]?.every ?? 0
        each.parts.forEach((own, place) => {
          if (own.type === 'call') return
          for (let offset = 0; every > 0 && offset < own.text.length; offset += every) {
            const piece = own.text.slice(offset, offset + every)
            pieces.push(...speech.delta({ turn, step: each.step, kind: own.type, part: place, offset, text: piece }))
          }
        })
        pieces.push(...speech.reply(each))
      })
      assert.equal(pieces.flatMap(piece => (piece.kind === 'text' ? [piece.text] : [])).join(''), spokenText(replies))
      assert.ok(pieces.every(({ kind }) => kind !== 'call'))
    }),
    tries(500),
  )
})
