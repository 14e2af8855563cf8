/** The file with the keys: only its owner can read it, and no message repeats what stands in it. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSecrets, type Secrets } from '../../../src/gateway/settings/secrets-file.ts'
import { must } from '../../log/facts.ts'
import { temporary } from '../http/child.ts'

const KEY = 'sk-decoy-1234567890'
const withKey = (before: Secrets): Secrets => ({ ...before, providers: { ...before.providers, openai: { apiKey: KEY } } })

test('what is kept is read again, by this process and by another', async t => {
  const file = join(temporary(t), 'secrets.json')
  const [own, other] = [must(openSecrets(file)), must(openSecrets(file))]
  assert.equal(existsSync(file), false, 'reading makes no file')
  must(await own.update(withKey))
  assert.deepEqual(own.now().providers, { openai: { apiKey: KEY } })
  assert.deepEqual(other.now().providers, { openai: { apiKey: KEY } })
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('changes at once are all kept', async t => {
  const secrets = must(openSecrets(join(temporary(t), 'secrets.json')))
  const names = Array.from({ length: 8 }, (_, index) => `server-${index}`)
  const done = await Promise.all(
    names.map(name => secrets.update(before => ({ ...before, providers: { ...before.providers, [name]: { apiKey: KEY } } }))),
  )
  assert.ok(done.every(each => each.ok))
  assert.deepEqual(Object.keys(secrets.now().providers), names)
})

test('a file that others can read is refused, and the keys known before stay', async t => {
  const file = join(temporary(t), 'secrets.json')
  const secrets = must(openSecrets(file))
  must(await secrets.update(withKey))
  const text = readFileSync(file, 'utf8')
  for (const mode of [0o604, 0o640, 0o644]) {
    chmodSync(file, mode)
    const opened = openSecrets(file)
    assert.ok(!opened.ok)
    assert.match(opened.fault.message, /other users can read it.*chmod 600/)
    assert.match(secrets.trouble() ?? '', /chmod 600/)
    assert.equal(secrets.now().providers.openai?.apiKey, KEY)
    const changed = await secrets.update(() => ({ providers: {}, mcp: {} }))
    assert.ok(!changed.ok)
    assert.equal(changed.fault.kind, 'conflict')
    assert.equal(readFileSync(file, 'utf8'), text)
  }
  chmodSync(file, 0o600)
  assert.equal(secrets.trouble(), undefined)
})

test('a broken file is named without a word of it', t => {
  const broken = [`{ "providers": { "openai": { "apiKey": "${KEY}" `, `"${KEY}"`, `{ "providers": { "${KEY}x": ["${KEY}"] } }`]
  for (const text of broken) {
    const file = join(temporary(t), 'secrets.json')
    writeFileSync(file, text, { mode: 0o600 })
    const opened = openSecrets(file)
    assert.ok(!opened.ok, text)
    assert.match(opened.fault.message, /secrets\.json: /)
    assert.ok(!opened.fault.message.includes(`"${KEY}"`), opened.fault.message)
  }
})

test('a link or a folder in its place is never written through', async t => {
  const home = temporary(t)
  const decoy = join(temporary(t), 'decoy')
  writeFileSync(decoy, '{}', { mode: 0o600 })
  symlinkSync(decoy, join(home, 'secrets.json'))
  const secrets = openSecrets(join(home, 'secrets.json'))
  const changed = secrets.ok ? await secrets.value.update(withKey) : secrets
  assert.ok(!changed.ok)
  assert.equal(readFileSync(decoy, 'utf8'), '{}')
  const folder = temporary(t)
  mkdirSync(join(folder, 'secrets.json'))
  assert.ok(!openSecrets(join(folder, 'secrets.json')).ok)
})
