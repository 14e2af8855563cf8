// One conversation, killed here and there: nobody may be able to tell. `npm run chaos` kills it everywhere.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { chaos } from '../chaos/chaos.ts'
import type { Kill } from '../chaos/kill.ts'
import { type Break, run } from '../chaos/run.ts'

const skip = process.platform === 'linux' ? false : 'a parent’s death is told to its children by Linux alone'
/** Where gateways keep their compiled code, for those that come after. */
const compiled = mkdtempSync(join(tmpdir(), 'turnwise-compiled-'))
after(() => rmSync(compiled, { recursive: true, force: true }))

test('a gateway that is killed anywhere goes on as if nothing had happened', { skip, timeout: 120_000 }, async t => {
  const printed: string[] = []
  const verdict = await chaos({ ofEach: 2, seed: 0, atOnce: 2, compiled, print: line => void printed.push(line) })
  t.diagnostic(printed.at(-1) ?? '')
  assert.ok(verdict.ok, printed.join('\n'))
  assert.equal(verdict.kills, 10)
})

/** A promise that is broken on purpose, killed where it matters. */
const CONTROLS: readonly (readonly [Break, Kill, RegExp])[] = [
  ['rerun', { at: 'tool', point: 'act counted' }, /act had its effect 2 times/],
  ['cursor', { at: 'append', when: 'after', point: 'context.planned assistant 2' }, /event 1 came where \d+ was expected/],
]

for (const [isBroken, kill, expected] of CONTROLS)
  test(`whoever breaks a promise is found out: ${isBroken}`, { skip, timeout: 60_000 }, async () => {
    const { differences, killed } = await run({ kills: [kill], isBroken, compiled })
    assert.equal(killed, 1)
    assert.match(differences.join('\n'), expected)
  })
