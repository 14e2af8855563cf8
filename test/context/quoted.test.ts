import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assemble } from '../../src/context/assemble.ts'
import { presets } from '../../src/context/presets.ts'
import { fairShare, MOST_QUOTED_TOKENS, shortened } from '../../src/context/recall/quote.ts'
import { count } from '../../src/context/text/tokens.ts'
import type { Fact } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import { materialOf, measure } from '../support/material.ts'
import { tries } from '../support/tries.ts'

test('a text that is shortened has no more tokens than it may, and loses no more than it must', () => {
  const word = fc.constantFrom('rain ', 'Überraschung ', '雨が降る', '🌧️', '👩‍👩‍👧', 'x'.repeat(40), '\n\n')
  fc.assert(
    fc.property(fc.array(word, { maxLength: 120 }), fc.integer({ min: 1, max: 60 }), (words, most) => {
      const text = words.join('')
      const short = shortened(text, most, measure)
      if (count(text) <= most) return assert.equal(short, text)
      assert.ok(short.endsWith('…'))
      const kept = short.slice(0, -1)
      assert.ok(text.startsWith(kept))
      assert.ok(count(kept) < most)
      assert.ok(kept.isWellFormed() || !text.isWellFormed(), 'no half of a character')
    }),
    tries(300),
  )
})

test('room is shared so that only the longest are cut, and all of it is used', () => {
  assert.equal(fairShare([10, 500, 900], 1000), 495)
  assert.equal(fairShare([10, 20], 1000), MOST_QUOTED_TOKENS)
  assert.equal(fairShare([100, 100], -5), 0)
  fc.assert(
    fc.property(fc.array(fc.nat(2000), { minLength: 1, maxLength: 12 }), fc.nat(9000), (lengths, room) => {
      const share = fairShare(lengths, room)
      const used = lengths.reduce((sum, length) => sum + Math.min(length, share), 0)
      assert.ok(used <= room)
      assert.ok(share === MOST_QUOTED_TOKENS || used + lengths.length >= Math.min(room, used + 1))
    }),
    tries(300),
  )
})

/** Three advisors, some rounds; the talker's answers have as many words as are given. */
function rounds(many: number, words: number): readonly Fact[] {
  const facts: Fact[] = []
  for (let round = 1; round <= many; round += 1) {
    const cause = facts.length + 1
    facts.push({ type: 'message.received', text: `Question ${round}, in some words of its own.`, from: 'person' })
    const voices = ['ada', 'bo', 'talker']
    for (const voice of voices) facts.push({ type: 'turn.started', turn: `trn_${voice}_${round}` as TurnId, voice, cause })
    for (const voice of voices) {
      const turn = `trn_${voice}_${round}` as TurnId
      const text = voice === 'talker' ? 'on and on '.repeat(words) : `${voice} answers ${round}, briefly.`
      facts.push({ type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text }] })
      facts.push({ type: 'turn.ended', turn, voice, reason: 'done' })
    }
  }
  const cause = facts.length + 1
  facts.push({ type: 'message.received', text: 'And now?', from: 'person' })
  facts.push({ type: 'turn.started', turn: 'trn_ada_new' as TurnId, voice: 'ada', cause })
  return facts
}

test('what others said gives way before what was said here: a talker costs nobody a message, also in a small window', () => {
  const seen = (words: number) => {
    const material = { voice: 'ada', model: { name: 'demo', window: 2400, factor: 1 } }
    const plan = assemble(
      materialOf(rounds(8, words), material),
      { ...presets.council, budget: { tokens: null, reserve: 400 } },
      measure,
    )
    assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
    const { in: lines, tokens } = plan.value.receipt
    assert.ok(tokens.estimated <= tokens.limit, `${tokens.estimated} is above the limit`)
    const past = lines.filter(({ reason }) => reason === 'recent.window')
    const reference = plan.value.messages.find(
      ({ blocks: [block] }) => block?.type === 'text' && block.text.startsWith('[For reference'),
    )
    return { past: past.map(({ from, to }) => [from, to]), reference: reference !== undefined }
  }
  assert.deepEqual(seen(4000).past, seen(1).past)
  assert.deepEqual([seen(4000).reference, seen(1).reference], [true, true])
})
