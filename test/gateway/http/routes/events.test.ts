// The events of a session as JSON: a page ends by its size, too, so that long messages hold up nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsPage } from '../../../../src/gateway/http/routes/events.ts'
import { type Log, memoryLog } from '../../../../src/index.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { heard, sessionOf as sessionNamed } from '../../../log/facts.ts'

const SESSION = 'ses_1' as SessionId

/** A log with a session of messages of so many characters, and how much of it was read at once at the most. */
async function sessionOf(messages: number, characters: number) {
  const log = memoryLog({ clock: Date.now, weigh: () => ({ tokens: 1, messages: 1 }) })
  const seen = { most: 0 }
  const text = 'x'.repeat(characters)
  assert.ok((await log.open(sessionNamed(SESSION))).ok)
  assert.ok(
    (
      await log.append(
        SESSION,
        Array.from({ length: messages }, () => heard(text)),
      )
    ).ok,
  )
  const read: Log['read'] = async (id, range) => {
    const page = await log.read(id, range)
    if (page.ok) seen.most = Math.max(seen.most, page.value.length)
    return page
  }
  return { engine: { read }, seen }
}

const pageOf = async (engine: Awaited<ReturnType<typeof sessionOf>>['engine'], after: number, limit: number) => {
  const page = await eventsPage(engine, SESSION, after, limit)
  assert.ok(page.ok)
  return JSON.parse(page.value) as { readonly items: readonly { readonly seq: number }[]; readonly next: number | null }
}

test('sixty messages of a megabyte come in pages of a few, and all of them come', async () => {
  const { engine, seen } = await sessionOf(60, 1 << 20)
  const seqs: number[] = []
  let pages = 0
  for (let after: number | null = 0; after !== null; pages += 1) {
    const page = await pageOf(engine, after, 5000)
    assert.ok(page.items.length <= 4)
    seqs.push(...page.items.map(({ seq }) => seq))
    after = page.next
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
  assert.ok(pages >= 15)
  assert.equal(seen.most, 1)
})

test('short ones come as many as were asked for, and the end says so', async () => {
  const { engine } = await sessionOf(48, 10)
  assert.deepEqual([(await pageOf(engine, 0, 5000)).items.length, (await pageOf(engine, 0, 5000)).next], [48, null])
  assert.deepEqual([(await pageOf(engine, 0, 20)).items.length, (await pageOf(engine, 0, 20)).next], [20, 20])
  assert.deepEqual(await pageOf(engine, 48, 20), { items: [], next: null })
})
