// The goldens of the context, from what PostgreSQL has kept: the same bytes of every request.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assemble } from '../../../src/context/assemble.ts'
import { type PresetName, presets } from '../../../src/context/presets.ts'
import { explain } from '../../../src/context/receipt/explain.ts'
import { createEngine, type Log, memoryLog, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { Event, Fact } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Material } from '../../../src/model/plan.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { anthropicWire } from '../../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../../src/provider/demo/wire.ts'
import { ollamaWire } from '../../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../../src/provider/openai-chat/encode.ts'
import { COUNCIL_GOLDENS, councilStory } from '../../context/council-story.ts'
import { materialOf, measure } from '../../support/material.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'

const skip = (await whyNoPostgres()) ?? false

async function openPostgres(t: TestContext, clock: () => number): Promise<Log> {
  const log = await postgresLog({ url: await postgresUrl(t), clock, weigh, connections: 4 })
  assert.ok(log.ok, log.ok ? '' : log.fault.message)
  return log.value
}

type Case = {
  readonly policy: PresetName
  readonly over?: Partial<Policy>
  readonly facts: readonly (Fact & { readonly at?: string })[]
  readonly material?: Partial<Material>
  readonly files?: Readonly<Record<string, string>>
}

const NOON = Date.UTC(2026, 0, 1, 12)

/** Cases whose facts a log takes; a row that cannot be read is none. */
const CASES = globSync('test/context/golden/*/')
  .sort()
  .map(folder => ({ folder, given: JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case }))
  .filter(({ given: { facts } }) => facts.every(({ type }) => (type as string) !== 'damaged'))

/** What a golden is compared with: the events as a store gives them back, and the bytes of what would be sent next. */
type Kept = { readonly events: readonly Event[]; readonly next: unknown }

/** Facts of one time are written at once. */
function byTime(facts: Case['facts']): readonly { readonly at: string | undefined; readonly together: Fact[] }[] {
  const groups: { readonly at: string | undefined; readonly together: Fact[] }[] = []
  for (const { at, ...fact } of facts) {
    const last = groups.at(-1)
    if (last !== undefined && last.at === at) last.together.push(fact as Fact)
    else groups.push({ at, together: [fact as Fact] })
  }
  return groups
}

/** Has a store keep the facts of every case, each in a session of its own. */
async function keptIn(openLog: (clock: () => number) => Promise<Log> | Log): Promise<ReadonlyMap<string, Kept>> {
  let now = NOON
  const clock = (): number => now
  // Some turns are left open in the goldens; a node would go on with them.
  const { nodes: _, ...log } = await openLog(clock)
  const engine = createEngine({ log, clock, limits: { historyMs: 60_000 }, vectorsFile: null })
  const keep = async ({ folder, given }: (typeof CASES)[number], id: SessionId): Promise<[string, Kept]> => {
    const { policy: name, over = {}, facts, files = {} } = given
    const opened = await engine.open({ id })
    assert.ok(opened.ok)
    const texts = Object.entries(files).map(([hash, text]) => ({ hash, text }))
    for (const { at, together } of byTime(facts)) {
      now = at === undefined ? NOON : Date.parse(at)
      const written = await log.append(id, together, { texts })
      assert.ok(written.ok, written.ok ? '' : `${folder}: ${written.fault.message}`)
    }
    now = NOON
    const read = await log.read(id)
    assert.ok(read.ok)
    const would = await engine.wouldSend(id, { text: 'And now?', policy: { ...presets[name], ...over } })
    const next = would.ok ? [would.value.request, would.value.receipt.in, would.value.receipt.out] : would.fault
    return [folder, { events: read.value as readonly Event[], next }]
  }
  const idOf = (index: number): SessionId => `ses_${index}` as SessionId
  const isTimed = ({ given: { facts } }: (typeof CASES)[number]): boolean => facts.some(({ at }) => at !== undefined)
  const kept = await Promise.all(CASES.flatMap((each, index) => (isTimed(each) ? [] : [keep(each, idOf(index))])))
  // Those set the clock, so they come one after the other.
  for (const [index, each] of CASES.entries()) if (isTimed(each)) kept.push(await keep(each, idOf(index)))
  await engine.close(100)
  return new Map(kept)
}

test('every golden is the same from what PostgreSQL has kept, and so is what would be sent next', { skip }, async t => {
  const memory = await keptIn(clock => memoryLog({ clock, weigh }))
  const postgres = await keptIn(clock => openPostgres(t, clock))
  assert.ok(postgres.size > 80)
  for (const { folder, given } of CASES) {
    const { policy: name, over = {}, facts, material = {}, files = {} } = given
    const { events = [], next } = postgres.get(folder) ?? {}
    assert.deepEqual(next, memory.get(folder)?.next, `${basename(folder)}: what would be sent next`)
    const usual = materialOf(facts, material)
    const own = events.map(event => ({ ...event, session: usual.session }))
    const folds = own.filter(event => event.type === 'history.folded')
    const read = { events: own, ...(usual.folds === undefined ? {} : { folds }) }
    const plan = assemble({ ...usual, ...read, ...material }, { ...presets[name], ...over }, measure)
    const golden = (file: string): string => readFileSync(join(folder, file), 'utf8')
    if (!plan.ok) {
      assert.equal(`fault ${plan.fault.kind}: ${plan.fault.message}\n`, golden('context.txt'), folder)
      continue
    }
    assert.equal(explain(plan.value), golden('context.txt'), folder)
    for (const { name: wire, encode } of [demoWire, anthropicWire, openaiChatWire, ollamaWire]) {
      const model = wire === 'demo' ? 'demo' : `${wire === 'openai-chat' ? 'openai' : wire}/model`
      const { body } = encode({ ...plan.value, model }, new Map(Object.entries(files)))
      assert.equal(`${body}\n`, golden(`${wire}.json`), `${folder}${wire}`)
    }
  }
})

test('the goldens of a council are the same where its talk is kept in PostgreSQL', { skip }, async t => {
  const asked = await councilStory(demoWire, clock => openPostgres(t, clock))
  for (const [name, request] of Object.entries(COUNCIL_GOLDENS))
    assert.equal(`${asked.get(request)}\n`, readFileSync(join('test/context/golden-council', name, 'demo.json'), 'utf8'), name)
})
