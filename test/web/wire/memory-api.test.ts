// How the page asks for summaries, pins with reach and the switches of recall.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachesFrom } from '../../../web/src/reply/actions/reaches.ts'
import { createApiConnection } from '../../../web/src/wire/ask.ts'
import { createApiClient } from '../../../web/src/wire/client.ts'
import { createWorkspaceApi } from '../../../web/src/wire/workspace-api.ts'
import { session } from '../world.ts'

test('each is one request', async () => {
  const asked: unknown[] = []
  const wire = createApiConnection(
    () => null,
    async (path, init) => {
      asked.push([init?.method, path, ...(init?.body === undefined ? [] : [JSON.parse(String(init.body))])])
      return new Response('{}')
    },
  )
  const client = createApiClient(wire)
  const workspaceApi = createWorkspaceApi(wire)
  await client.fold('ses_1', { from: 1, to: 9 })
  await client.editFold('ses_1', 7, 'Other words')
  await client.redoFold('ses_1', 7, { model: 'small' })
  await client.removeFold('ses_1', 7)
  await client.mark('ses_1', 4, 'pin', 'project')
  await client.mark('ses_1', 4, 'pin', 'session')
  await client.mark('ses_1', 4, null, 'everywhere')
  await client.recallSwitches()
  await workspaceApi.memory(null)
  await workspaceApi.memory('c 2')
  await workspaceApi.setRecallFrom('everywhere')
  await workspaceApi.setProjectRecall('my garden', true)
  assert.deepEqual(asked, [
    ['POST', 'api/sessions/ses_1/folds', { from: 1, to: 9 }],
    ['PATCH', 'api/sessions/ses_1/folds/7', { text: 'Other words' }],
    ['PATCH', 'api/sessions/ses_1/folds/7', { redo: true, model: 'small' }],
    ['DELETE', 'api/sessions/ses_1/folds/7'],
    ['POST', 'api/sessions/ses_1/marks', { seq: 4, mark: 'pin', reach: 'project' }],
    ['POST', 'api/sessions/ses_1/marks', { seq: 4, mark: 'pin' }],
    ['POST', 'api/sessions/ses_1/marks', { seq: 4, mark: null }],
    ['GET', 'api/memory?limit=1'],
    ['GET', 'api/memory?limit=50'],
    ['GET', 'api/memory?limit=50&cursor=c+2'],
    ['PATCH', 'api/memory', { from: 'everywhere' }],
    ['PATCH', 'api/projects/my%20garden', { recall: true }],
  ])
})

test('a pin of a council’s or a private chat reaches no other one', () => {
  assert.deepEqual(reachesFrom(session('ses_1', { project: 'garden' })), ['session', 'project', 'everywhere'])
  assert.deepEqual(reachesFrom(session('ses_1')), ['session', 'everywhere'], 'without a project there is none to reach')
  assert.deepEqual(reachesFrom(session('ses_1', { council: 'board', project: 'garden' })), ['session'])
  assert.deepEqual(reachesFrom(session('ses_1', { private: true })), ['session'])
  assert.deepEqual(reachesFrom(null), ['session'])
})
