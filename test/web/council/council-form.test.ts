import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCouncil } from '../../../src/gateway/workspace/councils-file.ts'
import type { Council } from '../../../src/model/settings/council.ts'
import { COLORS } from '../../../web/src/form/colors.ts'
import { complaintsOf, whyAt } from '../../../web/src/form/complaints.ts'
import {
  type CouncilForm,
  councilForm,
  councilFromForm,
  moved,
  NEW_COUNCIL,
  pathsOf,
  withAdvisor,
} from '../../../web/src/pages/councils/council-form.ts'

const COUNCIL: Council = {
  key: 'shop',
  name: 'Shop',
  advisors: [
    {
      id: 'ada',
      name: 'Ada',
      description: 'You count.',
      color: '#1a71b6',
      active: true,
      group: 'Outside',
      house: true,
      thinking: false,
    },
    {
      id: 'bo',
      name: 'Bo',
      description: 'You weigh.',
      color: 'teal',
      active: false,
      model: 'demo',
      policy: 'steady',
      thinking: true,
    },
  ],
  references: 'none',
  early: { turns: 0 },
  synthesis: 'memo',
}
const setting = { model: 'demo', policies: [], catalog: { models: {}, servers: [] }, isBudgeted: false }

test('a council comes out of its form as it went in', () => {
  assert.deepEqual(councilFromForm(councilForm(COUNCIL)), COUNCIL)
  const { synthesis: _, ...plain } = COUNCIL
  assert.deepEqual(councilFromForm(councilForm(plain)), plain)
})

test('what is new and empty is left out, for the gateway to fill in', () => {
  const form: CouncilForm = { ...NEW_COUNCIL, key: 'shop', name: ' Shop ' }
  const [advisor] = withAdvisor([], { name: 'Cy ', description: ' You doubt.\n' })
  assert.ok(advisor)
  assert.deepEqual(councilFromForm({ ...form, advisors: [advisor] }), {
    ...{ key: 'shop', name: 'Shop', references: 'last-round', early: { turns: 3 } },
    advisors: [{ name: 'Cy', description: 'You doubt.', active: true, color: COLORS[0]?.hex }],
  })
})

test('each new advisor has a row and a colour of its own, as long as there are some', () => {
  const all = Array.from({ length: 13 }).reduce<CouncilForm['advisors']>(
    advisors => withAdvisor(advisors),
    councilForm(COUNCIL).advisors,
  )
  assert.equal(new Set(all.map(({ row }) => row)).size, 15)
  const colors = all.slice(2).map(({ color }) => color)
  assert.deepEqual(
    colors.slice(0, 11),
    COLORS.slice(1).map(({ hex }) => hex),
  )
  assert.deepEqual(colors.slice(11), ['', ''], 'then the gateway chooses')
  const fewer = withAdvisor(all.toSpliced(2, 1))
  assert.equal(new Set(fewer.map(({ row }) => row)).size, fewer.length, 'a row that was taken out is not confused with a new one')
})

test('a row moves by one, and not beyond the edges', () => {
  const { advisors } = councilForm(COUNCIL)
  const ids = (of: CouncilForm['advisors']): readonly string[] => of.map(({ id }) => id)
  assert.deepEqual(ids(moved(advisors, 0, 1)), ['bo', 'ada'])
  assert.deepEqual(ids(moved(advisors, 1, -1)), ['bo', 'ada'])
  assert.equal(moved(advisors, 0, -1), advisors)
  assert.equal(moved(advisors, 1, 1), advisors)
})

test('what the gateway has against a council stands at the field it names', () => {
  const form: CouncilForm = { ...councilForm(COUNCIL), name: '', early: 'many' }
  const [ada, bo] = form.advisors
  assert.ok(ada && bo)
  const wrong = { ...form, advisors: [ada, { ...bo, name: ' ', policy: '', model: '' }] }
  const { key, ...body } = councilFromForm(wrong)
  const parsed = parseCouncil(key, body, setting)
  assert.equal(parsed.ok, false)
  const detail = parsed.ok ? '' : parsed.fault.message.replaceAll('\n', '; ')
  const complaints = complaintsOf({ status: 400, title: 'invalid', detail })
  assert.match(whyAt(complaints, 'name') ?? '', /must not be empty/i)
  assert.match(whyAt(complaints, 'early') ?? '', /number/)
  assert.match(whyAt(complaints, 'advisors.1.name') ?? '', /must not be empty/i)
  assert.equal(whyAt(complaints, 'advisors.0'), undefined)
  for (const { path } of complaints)
    assert.ok(
      pathsOf(wrong).some(each => path === each || path.startsWith(`${each}.`)),
      path,
    )
})
