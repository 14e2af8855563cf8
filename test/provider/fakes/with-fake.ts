import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fake, type FakeOptions, startFake } from '../../../src/testing/index.ts'

/** A test with a fake of its own; it fails by its time limit when a connection is left open. */
export function testWith(name: string, options: FakeOptions, body: (fake: Fake) => Promise<void>): void {
  test(name, { timeout: 30_000 }, async () => {
    await using fake = await startFake(options)
    await body(fake)
    await fake.quiet()
    assert.equal(fake.openSockets(), 0)
  })
}
