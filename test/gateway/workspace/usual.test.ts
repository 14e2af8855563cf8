// What the settings decide is told beside the lists it decides on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkspace } from '../../support/workspace.ts'
import { clientOf } from '../http/client.ts'

test('the policies say which is the usual one, and the skills in which mode they are sent and where they come from', async t => {
  const skills = { contextMode: 'readOnDemand', disabled: ['notes'], extraDirs: ['more'] }
  const { url } = await startWorkspace(t, { 'turnwise.json': { policy: 'recent', skills } })
  const client = clientOf(url)
  assert.equal((await client.json(200, 'GET', '/api/policies')).default, 'recent')
  const { mode, disabled, directories } = await client.json(200, 'GET', '/api/skills')
  assert.deepEqual(
    { mode, disabled, directories },
    { mode: 'readOnDemand', disabled: ['notes'], directories: ['skills', 'more'] },
  )
})

test('what is wrong with a skill is told with the others', async t => {
  const { url } = await startWorkspace(t, { 'skills/broken/SKILL.md': 'A text.', 'skills/broken/tools.json': '{' })
  const { troubles } = await clientOf(url).json(200, 'GET', '/api/skills')
  assert.equal(troubles.length, 1)
  assert.match(troubles[0], /skill broken/)
})
