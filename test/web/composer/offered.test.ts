// What connected servers offer to a message: found, searched, and made into files.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { suggestedAt } from '../../../web/src/composer/choice/suggest.ts'
import {
  fileOfPart,
  missingArguments,
  promptsFor,
  promptsOf,
  promptValues,
  resourcesFor,
  resourcesOf,
  type ServerPrompt,
  serversWith,
} from '../../../web/src/composer/offers/offered.ts'
import { NO_CHOICES } from '../../../web/src/store/commands.ts'
import { FIRST_STATE } from '../../../web/src/store/state.ts'
import type { McpServerRow, McpState } from '../../../web/src/wire/mcp-api.ts'
import type { ApiResult } from '../../../web/src/wire/problem.ts'
import { argumentWords, notAttachedWords, unansweredWords } from '../../../web/src/words/mcp-words.ts'

const DOWN: ApiResult<never> = { ok: false, problem: { status: 502, title: 'Bad gateway', detail: 'it is not connected' } }

const server = (name: string, state: McpState, resources: number, prompts: number): McpServerRow => ({
  ...{ name, kind: 'process', state, message: null, tools: [], resources, prompts, since: '', restarts: 0, signedIn: false },
})

const listed = <Item>(...items: readonly Item[]): Promise<ApiResult<{ readonly items: readonly Item[] }>> =>
  Promise.resolve({ ok: true, value: { items } })

const SERVERS = [server('notes', 'ready', 2, 0), server('talk', 'ready', 1, 1), server('gone', 'down', 3, 3)]
const prompt = (name: string, ...names: readonly string[]): ServerPrompt => ({
  ...{ server: 'talk', name },
  arguments: names.map(each => ({ name: each, required: each === 'code' })),
})

describe('what servers offer', () => {
  test('only those that are ready and have something are asked', async () => {
    const servers = () => listed(...SERVERS)
    assert.deepEqual(await serversWith({ servers }, 'resources'), ['notes', 'talk'])
    assert.deepEqual(await serversWith({ servers }, 'prompts'), ['talk'])
    assert.deepEqual(await serversWith({ servers: async () => DOWN }, 'prompts'), [])
    const asked: string[] = []
    const prompts = (name: string) => {
      asked.push(name)
      return listed({ name: 'review', arguments: [] })
    }
    assert.deepEqual(await promptsOf({ servers, prompts }), [{ server: 'talk', name: 'review', arguments: [] }])
    assert.deepEqual(asked, ['talk'])
    assert.deepEqual(await promptsOf({ servers: () => listed(), prompts }), [])
    assert.deepEqual(asked, ['talk'], 'without servers there is no second request')
  })

  test('a server that went away does not keep the others from being listed', async () => {
    const resources = async (name: string) => (name === 'talk' ? DOWN : listed({ uri: 'a://1', name: 'one' }))
    const found = await resourcesOf({ resources }, ['notes', 'talk'])
    assert.deepEqual(found, { items: [{ uri: 'a://1', name: 'one', server: 'notes' }], failed: ['talk'] })
    assert.match(unansweredWords(found.failed), /^talk did not answer\. Its/)
  })

  test('resources are found by every word of a search', () => {
    const all = [
      { server: 'notes', uri: 'a://plan', name: 'Plan', description: 'What to do' },
      { server: 'talk', uri: 'a://cat.png', name: 'cat' },
    ]
    const names = (query: string): readonly string[] => resourcesFor(all, query).map(({ name }) => name)
    assert.deepEqual(names(' '), ['Plan', 'cat'])
    assert.deepEqual(names('DO notes'), ['Plan'])
    assert.deepEqual(names('png'), ['cat'])
    assert.deepEqual(names('plan png'), [])
  })

  test('a part becomes a file as a person picks one', async () => {
    const file = fileOfPart({ type: 'file', name: 'plan.txt', mediaType: 'text/plain', data: btoa('Feed the cat.') })
    assert.deepEqual([file?.name, file?.type, await file?.text()], ['plan.txt', 'text/plain', 'Feed the cat.'])
    assert.equal(fileOfPart({ type: 'file', name: 'x', mediaType: 'text/plain', data: '%%%' }), null)
    assert.match(notAttachedWords('plan', { detail: 'it is not connected' }), /“plan” was not attached: it is not connected\.$/)
  })
})

describe('prompts', () => {
  const prompts = [prompt('review', 'code', 'tone'), prompt('Sum up')]
  const at = (text: string): readonly string[] =>
    suggestedAt(text, text.length, { state: FIRST_STATE, council: undefined, choices: NO_CHOICES, prompts })?.items.map(
      ({ label }) => label,
    ) ?? []

  test('are listed beside the commands, and never in the way of one', () => {
    assert.deepEqual(at('/').slice(-3), ['/help', '/talk:review', '/talk:Sum up'])
    assert.deepEqual(at('/re'), ['/talk:review'], '/resume and /rename need a conversation')
    assert.deepEqual(at('/talk:'), ['/talk:review', '/talk:Sum up'])
    assert.deepEqual(at('/talk:sum u'), ['/talk:Sum up'])
    assert.deepEqual(at('/new'), [], 'a whole command is given by Enter')
    assert.deepEqual(at('see /talk:'), [])
    assert.deepEqual(at('/etc/hosts'), [])
    assert.deepEqual(promptsFor(prompts, 'SUM'), [prompts[1]])
  })

  test('are asked with what was typed, once everything required is there', () => {
    const [review = prompt('')] = prompts
    assert.deepEqual(missingArguments(review, { tone: 'kind', code: ' ' }), ['code'])
    assert.deepEqual(missingArguments(review, { code: 'x' }), [])
    assert.deepEqual(promptValues({ code: ' x ', tone: ' ' }), { code: ' x ' })
    assert.equal(argumentWords(review.arguments), 'code, tone (optional)')
  })
})
