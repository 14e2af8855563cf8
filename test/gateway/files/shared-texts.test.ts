/** Texts that nodes share: where they start, how they win over files, how edits meet, and that what is secret is never plain. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSealer, isSealed, type Sealer } from '../../../src/gateway/files/sealed-text.ts'
import { openSharedTexts, type SharedTexts } from '../../../src/gateway/files/shared-texts.ts'
import { memoryLog, weigh } from '../../../src/index.ts'
import type { Documents } from '../../../src/log/open-store.ts'
import { fault } from '../../../src/model/fault.ts'
import { err, type Result } from '../../../src/model/result.ts'

const LONG = 'correct horse battery staple'

function documentsOf(): Documents {
  const { nodes } = memoryLog({ clock: Date.now, weigh, isShared: true })
  assert.ok(nodes !== undefined)
  return nodes.documents
}

const must = <Value>(result: Result<Value, { readonly message: string }>): Value => {
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}

async function nodeOn(t: TestContext, documents: Documents, files: Record<string, string> = {}, sealer?: Sealer) {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-texts-'))
  t.after(() => rmSync(home, { recursive: true }))
  for (const [path, text] of Object.entries(files)) writeFileSync(join(home, path), text)
  const whySecret = (path: string): string | undefined => (path === 'secrets.json' ? 'keys stay on each node' : undefined)
  const texts = must(await openSharedTexts({ documents, home, sealer, whySecret, pollMs: 5 }))
  t.after(texts.stop)
  return { home, texts }
}

/** Waits until a node sees a text. Polls run all the time, so this ends when they work. */
async function sees({ texts }: { readonly texts: SharedTexts }, path: string, text: string): Promise<void> {
  for (;;) {
    const source = texts.at(path)
    if (source.stamp() !== undefined && source.read() === text) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

test('a text starts as a file, its first edit is kept in the store, and from then on that wins on every node', async t => {
  const documents = documentsOf()
  const one = await nodeOn(t, documents, { 'agents.json': 'one' })
  const other = await nodeOn(t, documents, { 'agents.json': 'other' })
  const [here, there] = [one.texts.at('agents.json'), other.texts.at('agents.json')]
  assert.deepEqual([here.read(), there.read()], ['one', 'other'])
  assert.equal(must(await here.write('edited', here.stamp())), true)
  assert.equal(here.read(), 'edited')
  await sees(other, 'agents.json', 'edited')
  assert.match(there.title(), /in the database$/)
  writeFileSync(join(other.home, 'agents.json'), 'by hand')
  assert.equal(there.read(), 'edited')
  assert.equal(readFileSync(join(one.home, 'agents.json'), 'utf8'), 'one')
  assert.deepEqual(readdirSync(one.home), ['agents.json'])
})

test('an edit that is based on an old text writes nothing, and sees the newest text for its next try', async t => {
  const documents = documentsOf()
  const one = await nodeOn(t, documents)
  const other = await nodeOn(t, documents)
  const [here, there] = [one.texts.at('councils.json'), other.texts.at('councils.json')]
  const [before, beforeThere] = [here.stamp(), there.stamp()]
  assert.equal(must(await there.write('theirs', beforeThere)), true)
  assert.equal(must(await here.write('ours', before)), false)
  assert.equal(here.read(), 'theirs')
  assert.equal(must(await here.write('both', here.stamp())), true)
  await sees(other, 'councils.json', 'both')
})

test('edits of both nodes at once are all kept, each on top of the other', async t => {
  const documents = documentsOf()
  const nodes = [await nodeOn(t, documents), await nodeOn(t, documents)]
  const add = async (texts: SharedTexts, word: string): Promise<void> => {
    const source = texts.at('agents.json')
    for (;;) {
      const stamp = source.stamp()
      const before = stamp === undefined ? '' : source.read()
      if (must(await source.write(`${before}${word} `, stamp))) return
    }
  }
  await Promise.all(nodes.flatMap(({ texts }, node) => Array.from({ length: 10 }, (_, n) => add(texts, `${node}.${n}`))))
  const all = must(await documents.changed(0))
  assert.equal(all[0]?.text?.trim().split(' ').length, 20)
})

test('what is secret is refused without a secret, and encrypted with one', async t => {
  const documents = documentsOf()
  const plain = await nodeOn(t, documents)
  const refused = await plain.texts.kept('secrets.json').write('KEY', undefined)
  assert.ok(!refused.ok)
  assert.equal(refused.fault.kind, 'conflict')
  assert.match(refused.fault.message, /^keys stay on each node, or set TURNWISE_SECRET/)
  assert.deepEqual(must(await documents.changed(0)), [])
  const sealing = await nodeOn(t, documents, {}, createSealer(LONG))
  const source = sealing.texts.kept('secrets.json')
  assert.equal(must(await source.write('KEY-1', undefined)), true)
  const [first] = must(await documents.changed(0))
  assert.equal(must(await source.write('KEY-2', source.stamp())), true)
  const [second] = must(await documents.changed(0))
  for (const kept of [first, second]) {
    assert.ok(isSealed(kept?.text ?? ''))
    assert.doesNotMatch(kept?.text ?? '', /KEY/)
  }
  assert.equal(saltIn(first?.text), saltIn(second?.text), 'the key is made once')
  assert.notEqual(nonceIn(first?.text), nonceIn(second?.text))
  const again = await nodeOn(t, documents, {}, createSealer(LONG))
  assert.equal(again.texts.kept('secrets.json').read(), 'KEY-2')
})

test('another secret, or none, reads nothing and replaces nothing', async t => {
  const documents = documentsOf()
  const right = await nodeOn(t, documents, {}, createSealer(LONG))
  must(await right.texts.kept('secrets.json').write('KEY', undefined))
  const before = must(await documents.changed(0))
  for (const [sealer, why] of [
    [createSealer('another secret of sixteen'), /TURNWISE_SECRET is not the one/],
    [undefined, /set TURNWISE_SECRET as on the other nodes|keys stay on each node/],
  ] as const) {
    const wrong = await nodeOn(t, documents, {}, sealer)
    const source = wrong.texts.kept('secrets.json')
    assert.throws(() => source.read(), why)
    const written = await source.write('MINE', source.stamp())
    assert.ok(!written.ok)
    assert.match(written.fault.message, why)
  }
  assert.deepEqual(must(await documents.changed(0)), before)
})

test('a sealed text is bound to its name, and one that was changed is not opened', () => {
  const sealer = createSealer(LONG)
  const sealed = sealer.seal('secrets.json', 'KEY')
  assert.deepEqual(sealer.open('secrets.json', sealed), { ok: true, value: 'KEY' })
  assert.equal(sealer.open('turnwise.json', sealed).ok, false)
  const body = /"body":"([^"]*)"/.exec(sealed)?.[1] ?? ''
  assert.equal(sealer.open('secrets.json', sealed.replace(body, Buffer.from('abc').toString('base64'))).ok, false)
  assert.equal(sealer.open('secrets.json', sealed.slice(0, 60)).ok, false)
})

test('while the store is away texts stay as they were, and the trouble says so until it is back', async t => {
  const documents = documentsOf()
  let isAway = false
  const cut: Documents = {
    changed: async after => (isAway ? err(fault('store', 'the database cannot be used: gone')) : documents.changed(after)),
    write: documents.write,
  }
  const node = await nodeOn(t, cut)
  must(await node.texts.at('agents.json').write('kept', undefined))
  isAway = true
  while (node.texts.trouble() === undefined) await new Promise(resolve => setTimeout(resolve, 5))
  assert.match(node.texts.trouble() ?? '', /^the shared settings may be old: the database cannot be used: gone$/)
  assert.equal(node.texts.at('agents.json').read(), 'kept')
  must(await documents.write('agents.json', 'newer'))
  isAway = false
  await sees(node, 'agents.json', 'newer')
  assert.equal(node.texts.trouble(), undefined)
})

const saltIn = (text: string | null | undefined): string | undefined => /"salt":"([^"]+)"/.exec(text ?? '')?.[1]
const nonceIn = (text: string | null | undefined): string | undefined => /"nonce":"([^"]+)"/.exec(text ?? '')?.[1]
