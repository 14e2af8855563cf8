// The events of a session as JSON: a page ends by its size, too, so that long messages hold up nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsPage } from '../../src/gateway/http/events-page.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { ok } from '../../src/model/result.ts'

const SESSION = 'ses_1' as SessionId

/** A session of messages of so many characters, and how many of them were read at once at the most. */
function sessionOf(messages: number, characters: number) {
  const seen = { most: 0 }
  const all = Array.from({ length: messages }, (_, index) => ({ seq: index + 1, text: 'x'.repeat(characters), tokens: 1 }))
  const read = async (_: SessionId, { after = 0, limit = 0 }: { readonly after?: number; readonly limit?: number } = {}) => {
    seen.most = Math.max(seen.most, limit)
    return ok(all.slice(after, after + limit) as never)
  }
  return { engine: { read }, seen }
}

const pageOf = async (engine: ReturnType<typeof sessionOf>['engine'], after: number, limit: number) => {
  const page = await eventsPage(engine, SESSION, after, limit)
  assert.ok(page.ok)
  return JSON.parse(page.value) as { readonly items: readonly { readonly seq: number }[]; readonly next: number | null }
}

test('sixty messages of a megabyte come in pages of a few, and all of them come', async () => {
  const { engine, seen } = sessionOf(60, 1 << 20)
  const seqs: number[] = []
  let pages = 0
  for (let after: number | null = 0; after !== null; pages += 1) {
    const page = await pageOf(engine, after, 5000)
    assert.ok(page.items.length <= 16)
    seqs.push(...page.items.map(({ seq }) => seq))
    after = page.next
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
  assert.ok(pages >= 4)
  assert.ok(seen.most <= 16)
})

test('short ones come as many as were asked for, and the end says so', async () => {
  const { engine } = sessionOf(48, 10)
  assert.deepEqual([(await pageOf(engine, 0, 5000)).items.length, (await pageOf(engine, 0, 5000)).next], [48, null])
  assert.deepEqual([(await pageOf(engine, 0, 20)).items.length, (await pageOf(engine, 0, 20)).next], [20, 20])
  assert.deepEqual(await pageOf(engine, 48, 20), { items: [], next: null })
})
