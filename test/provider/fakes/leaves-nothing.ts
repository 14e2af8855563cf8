// A program that closes its fakes in the middle of every kind of waiting. It ends by itself, or something was left behind.
import { startFake } from '../../../src/testing/index.ts'
import { ask } from './plain-client.ts'

const HOUR_MS = 3_600_000
const waits = [
  [{ type: 'stallAt', byte: 10 }],
  [
    { type: 'stallAt', byte: 10 },
    { type: 'pingEvery', ms: HOUR_MS },
  ],
  [{ type: 'delayHeaders', ms: HOUR_MS }],
  [{ type: 'chunks', gapMs: HOUR_MS }],
  [{ type: 'afterDoneHang' }],
  [{ type: 'endless' }],
] as const

for (const faults of waits) {
  const fake = await startFake({ wire: 'anthropic', script: { faults } })
  const answer = ask(fake, { wire: 'anthropic' }).then(
    ({ ended }) => ended,
    () => 'no head',
  )
  await fake.nextRequest()
  await fake.close()
  if ((await answer) === 'end') throw new Error(`the answer with ${faults[0].type} ended by itself`)
}
process.stdout.write('nothing left')
