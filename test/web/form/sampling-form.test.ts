// Sampling as form fields, there and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplingForm, settingsFromForm } from '../../../web/src/form/sampling-form.ts'
import { agentForm, agentFromForm } from '../../../web/src/pages/agents/agent-form.ts'
import { councilForm, councilFromForm } from '../../../web/src/pages/councils/council-form.ts'
import { advisor, councilOf } from '../../support/council.ts'

const SAMPLING = { temperature: 0, topP: 0.5, seed: -7, stop: ['a b', '\tc'], effort: 'xhigh' } as const

test('what is set comes back as it was, and what is empty is left out', () => {
  assert.deepEqual(settingsFromForm(samplingForm({ sampling: SAMPLING, maxTokens: 100 })), { sampling: SAMPLING, maxTokens: 100 })
  assert.deepEqual(settingsFromForm(samplingForm({})), {})
  assert.deepEqual(settingsFromForm(samplingForm({ sampling: null, maxTokens: null })), {})
})

test('what is not a number is sent as it is written, for the gateway to say so', () => {
  const form = { ...samplingForm({}), temperature: 'warm', maxTokens: ' 12 ' }
  assert.deepEqual(settingsFromForm(form), { sampling: { temperature: 'warm' }, maxTokens: 12 })
})

test('an agent and an advisor keep their sampling when they are edited', () => {
  const agent = { key: 'a', name: 'A', prompt: 'You are a.', sampling: SAMPLING, maxTokens: 100 }
  assert.deepEqual(agentFromForm(agentForm(agent)), agent)
  const board = councilOf([advisor('ann', { sampling: SAMPLING, maxTokens: 5 }), advisor('bea')])
  assert.deepEqual(councilFromForm(councilForm(board)).advisors, board.advisors)
})
