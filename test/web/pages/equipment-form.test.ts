// Tools and skills of agents and advisors as the page edits them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Council } from '../../../src/model/settings/council.ts'
import type { WrittenAgent } from '../../../src/model/voice.ts'
import { agentFile, readAgentFile } from '../../../web/src/pages/agents/agent-file.ts'
import { agentForm, agentFromForm } from '../../../web/src/pages/agents/agent-form.ts'
import { councilForm, councilFromForm } from '../../../web/src/pages/councils/council-form.ts'
import {
  type EquipmentLists,
  equipmentTokens,
  hasName,
  otherEntries,
  skillChoices,
  toolGroups,
  withEntry,
} from '../../../web/src/pages/equipment/equipment-form.ts'
import type { ToolRow } from '../../../web/src/wire/workspace-api.ts'
import { chosenTokensWords, meansWords } from '../../../web/src/words/skill-words.ts'

const tool = (name: string, server: string | null = null): ToolRow => ({
  ...{ name, description: '', parameters: {}, approval: 'ask', server },
})

const skill = (name: string, ...tools: readonly string[]) => ({ name, description: '', full: 100, listed: 10, tools })

const LISTS: EquipmentLists = {
  skills: { items: [skill('clock', 'clock_now', 'clock_set'), skill('poems')], mode: 'auto' },
  tools: {
    items: [
      ...['read_skill', 'clock_now', 'clock_set'].map(name => tool(name)),
      ...['files__read', 'files__write'].map(name => tool(name, 'files')),
    ],
  },
}

/** What one of these tools takes; the names have different lengths. */
const priceOf = (name: string): number =>
  toolGroups(LISTS)
    .flatMap(({ tools }) => tools)
    .find(each => each.name === name)?.tokens ?? Number.NaN

describe('tools and skills of an agent', () => {
  const agent: WrittenAgent = { key: 'ann', name: 'Ann', prompt: 'You ask.', tools: ['files__*'], skills: [] }

  test('come back from the form and from a file as they were', () => {
    assert.deepEqual(agentFromForm(agentForm(agent)), agent)
    assert.deepEqual(readAgentFile(agentFile(agent).text), { ok: true, agent })
    const { tools: _, skills: __, ...all } = agent
    assert.deepEqual(agentFromForm(agentForm(all)), all, 'without lists, none are written')
  })

  test('also of an advisor', () => {
    const advisor = { id: 'ann', name: 'Ann', description: 'You ask.', color: '#aa0000', active: true, tools: ['clock_*'] }
    const council: Council = { key: 'board', name: 'Board', references: 'none', early: { turns: 0 }, advisors: [advisor] }
    assert.deepEqual(councilFromForm(councilForm(council)).advisors, [advisor])
  })

  test('are grouped by where tools come from, with all of a server as one choice', () => {
    const groups = toolGroups({ ...LISTS, tools: { items: [...LISTS.tools.items, tool('stray')] } })
    assert.deepEqual(
      groups.map(({ title, pattern, tools }) => [title, pattern, tools.map(({ name }) => name)]),
      [
        ['Skill: clock', null, ['clock_now', 'clock_set']],
        ['MCP server: files', 'files__*', ['files__read', 'files__write']],
        ['Others', null, ['stray']],
      ],
    )
  })

  test('have a price together, as the engine would send them', () => {
    const tokens = (tools: readonly string[] | null, skills: readonly string[] | null, hasAll = true): number =>
      equipmentTokens({ tools, skills }, LISTS, hasAll)
    const [clock, files] = [priceOf('clock_now') + priceOf('clock_set'), priceOf('files__read') + priceOf('files__write')]
    assert.equal(tokens(null, null), 200 + clock + files)
    assert.equal(tokens(null, ['poems']), 100 + files, 'the tools of a skill go with it')
    assert.equal(tokens(['clock_*'], ['poems']), 100 + clock, 'unless they are named')
    assert.equal(tokens([], []), 0)
    assert.equal(tokens(null, null, false), 0, 'an advisor has nothing by itself')
    assert.equal(tokens(['files__read'], null, false), priceOf('files__read'))
    const onDemand: EquipmentLists = { ...LISTS, skills: { ...LISTS.skills, mode: 'readOnDemand' } }
    assert.deepEqual(
      skillChoices(onDemand).map(each => each.tokens),
      [10, 10],
    )
    assert.deepEqual([0, 1, 1200].map(chosenTokensWords), [
      'no tokens',
      'about 1 token per request',
      'about 1,200 tokens per request',
    ])
  })

  test('that do not exist now are shown and kept', () => {
    const list = ['clock_now', 'clock_*', 'files__*', 'gone', 'down__*']
    assert.deepEqual(otherEntries(list, ['clock_now', 'clock_set'], ['files__*']), [
      { key: 'clock_*', means: 2 },
      { key: 'gone', means: 0 },
      { key: 'down__*', means: 0 },
    ])
    assert.deepEqual(
      [0, 1, 2].map(count => meansWords(count, 'tool')),
      ['Not available now', 'Matches 1 tool now', 'Matches 2 tools now'],
    )
    assert.deepEqual(withEntry(withEntry(list, 'clock_set', true), 'clock_set', false), list)
  })

  test('are put in and taken out one by one or all of a server at once', () => {
    assert.deepEqual(withEntry(['files__read', 'clock_now'], 'files__*', true), ['clock_now', 'files__*'])
    assert.deepEqual(withEntry(['files__*'], 'files__*', false), [])
    assert.equal(hasName(['files__*'], 'files__read'), true)
    assert.equal(hasName(['files__read'], 'files__write'), false)
  })
})
