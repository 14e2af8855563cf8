// A turn that ended at a limit says at which one, on the command line, in exports and on the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingOf } from '../../../../src/archive/output/conversation-words.ts'
import { inkFor } from '../../../../src/gateway/cli/output/ink.ts'
import { endLines } from '../../../../src/gateway/cli/sessions/transcript.ts'
import type { Recorded } from '../../../../src/model/event.ts'
import { fault } from '../../../../src/model/fault.ts'
import { endWords } from '../../../../web/src/words/words.ts'

const AT_TOKENS = fault('budget', 'this turn has used 2,000,001 tokens, and it may use 2,000,000 (limits.tokensPerTurn)')
const plain = inkFor({ isTTY: false } as NodeJS.WriteStream, {})

const linesOf = (given: object): readonly string[] =>
  endLines({ type: 'turn.ended', reason: 'limit', ...given } as Extract<Recorded, { type: 'turn.ended' }>, plain, {
    last: 'whole',
    goOn: '/resume',
  })

test('a turn that ended at a limit says at which one', () => {
  assert.deepEqual(linesOf({}), ['■ stopped at the step limit'])
  assert.deepEqual(linesOf({ fault: AT_TOKENS }), [`■ stopped: ${AT_TOKENS.message}`])
  const told = (end: object): string | undefined =>
    endingOf({ end: { reason: 'limit', ...end }, parts: [], isCutAtLimit: false } as unknown as Parameters<typeof endingOf>[0])
  assert.equal(told({}), 'Stopped at the step limit.')
  assert.equal(told({ fault: AT_TOKENS }), `Stopped: ${AT_TOKENS.message}.`)
  assert.equal(endWords({ reason: 'limit', fault: null }), 'Stopped at the limit of steps')
  assert.equal(endWords({ reason: 'limit', fault: AT_TOKENS }), 'Stopped at the token limit')
})
