// A database whose requests were all built by the second version of the assembly: it verifies, goes on, and verifies again.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { presets } from '../../src/context/presets.ts'
import type { Engine } from '../../src/index.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import type { Session } from '../../src/model/session.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { says } from '../../src/testing/scripted.ts'
import { advisor, councilOf, linesOf, round, type Stand, stand } from '../support/council.ts'
import { ask, engineWith, eventsOf } from '../support/engine.ts'
import { openSqlite, temporaryFolder } from './files.ts'

/**
 * Made by the commit before the third version, with a model of 1,300 tokens, so that every window is full: nine turns under each
 * preset and each policy below, with a tool loop in the fourth and the last, a failed turn that was resumed, a reply that was
 * cut and went on, a pin and an exclusion; a council of three over nine rounds, twice; four turns with skills that were listed
 * by the budget of `tiny`.
 */
const FORM_9 = 'test/fixtures/database-form-9.db.gz'
const REQUESTS = 214

const SMALL = { tokens: 700, reserve: 100 }
const POLICIES: readonly Policy[] = [
  ...[presets.recent, presets['head-tail'], presets.council].map(policy => ({
    ...policy,
    name: `small-${policy.name}`,
    budget: SMALL,
  })),
  { ...presets.steady, name: 'bounded', window: { kind: 'tokens', low: 200, high: 500 } },
  { ...presets.steady, name: 'tiny', budget: { tokens: 330, reserve: 50 } },
]
const COUNCIL = councilOf([advisor('ada'), advisor('ben'), advisor('cleo')], { early: { turns: 2 } })

type Old = { readonly engine: Engine; readonly provider: Stand; readonly sessions: readonly Session[] }

async function openSecond(t: TestContext): Promise<Old> {
  const file = join(temporaryFolder(t), 'turnwise.db')
  writeFileSync(file, gunzipSync(readFileSync(FORM_9)))
  const log = await openSqlite(t, file)
  const provider = stand(({ voice, turn }) => says(`${voice} goes on with turn ${turn}.`))
  const models = { demo: { window: 1300 } }
  const engine = engineWith({ log, provider, models, policies: POLICIES, councils: () => [COUNCIL] })
  t.after(() => engine.close(100))
  const sessions = await engine.sessions({ limit: 50 })
  assert.ok(sessions.ok)
  return { engine, provider, sessions: sessions.value.items }
}

/** How many requests verify as what, with the reason where one is not identical. */
async function verdictsOf({ engine, sessions }: Old): Promise<Readonly<Record<string, number>>> {
  const verdicts: Record<string, number> = {}
  for (const { id, title } of sessions)
    for await (const { verdict, detail } of engine.verify(id)) {
      const name = verdict === 'identical' ? verdict : `${title}: ${verdict}: ${detail}`
      verdicts[name] = (verdicts[name] ?? 0) + 1
    }
  return verdicts
}

const receiptsOf = async ({ engine }: Old, { id }: Session): Promise<readonly Receipt[]> =>
  (await eventsOf(engine, id)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

test('every receipt of the second version verifies', async t => {
  const old = await openSecond(t)
  const receipts = (await Promise.all(old.sessions.map(session => receiptsOf(old, session)))).flat()
  assert.deepEqual([...new Set(receipts.map(({ inputs }) => inputs.assembly))], [2])
  assert.deepEqual(
    [...new Set(receipts.flatMap(({ ladder }) => ladder))].toSorted(),
    ['history', 'skills', 'thinking'],
    'the database has what gave way then',
  )
  assert.equal(receipts.length, REQUESTS)
  assert.deepEqual(await verdictsOf(old), { identical: REQUESTS })
})

test("every session of the second version goes on under today's rules, and all of it verifies", async t => {
  const old = await openSecond(t)
  const { engine, provider, sessions } = old
  let added = 0
  for (const session of sessions) {
    const before = (await receiptsOf(old, session)).length
    const from = provider.requests.length
    for (const number of [1, 2, 3]) {
      const text = `And now, number ${number}?`
      if (session.council === null) await ask(engine, session.id, text)
      else await round({ engine, session: session.id, seats: { council: COUNCIL } }, text)
    }
    const receipts = (await receiptsOf(old, session)).slice(before)
    assert.ok(
      receipts.length >= 3 && receipts.every(({ inputs }) => inputs.assembly === 5),
      `${session.title}: ${receipts.length}`,
    )
    assert.ok(receipts.every(({ tokens }) => tokens.estimated <= tokens.limit))
    added += receipts.length
    const asked = provider.requests.slice(from)
    assert.equal(asked.length, receipts.length, `${session.title}`)
    // What was asked last is in the next request, with its answer.
    for (const voice of new Set(asked.map(request => request.voice))) {
      const last = linesOf(asked.findLast(request => request.voice === voice) ?? assert.fail()).join('\n')
      assert.match(last, /number 2\?.*goes on with turn \d+\..*number 3\?/s, `${session.title}, ${voice}`)
    }
  }
  assert.deepEqual(await verdictsOf(old), { identical: REQUESTS + added })
})
