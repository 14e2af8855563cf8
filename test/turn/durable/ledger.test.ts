// Facts that wait for the store: they have an id and a time, and the store gives them their seqs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { createFeed } from '../../../src/log/feed.ts'
import { memoryLog } from '../../../src/log/memory/memory-log.ts'
import type { Log } from '../../../src/log/ports.ts'
import { fault } from '../../../src/model/fault.ts'
import { err } from '../../../src/model/result.ts'
import { openLedger } from '../../../src/turn/durable/ledger.ts'
import { heard, must, session, sessionOf } from '../../log/facts.ts'
import { counting, gate } from '../../support/engine.ts'

const RAIN = session('rain')
const NOW = Date.UTC(2026, 0, 1)

test('a fact that waits has an id and a time, and its place is counted from what the log has by then', async () => {
  const real = memoryLog({ clock: () => NOW + 5000, weigh })
  must(await real.open(sessionOf(RAIN)))
  const [isFirstDue, isSecondDue, isFirstThere] = [gate(), gate(), gate()]
  let writes = 0
  const append: Log['append'] = async (...given) => {
    writes += 1
    // Both facts are refused once; then the first is let in, and only later the second.
    if (writes === 1) return err(fault('store', 'the database does not answer'))
    if (writes === 3) isFirstThere.open()
    await (writes === 2 ? isFirstDue : isSecondDue).passed
    return real.append(...given)
  }
  const ledger = openLedger({
    ...{ log: { ...real, append }, feed: createFeed(), session: RAIN, standing: must(await real.standing(RAIN)) },
    ...{ mint: counting(), clock: () => NOW, onBug: cause => assert.fail(String(cause)) },
  })
  must(await ledger.write([heard('one')]))
  must(await ledger.write([heard('two')]))
  const [one, two] = ledger.unsaved()
  assert.deepEqual([one?.event.seq, two?.event.seq, ledger.standing().head], [1, 2, 2])
  assert.deepEqual([one?.event.at, two?.event.at], ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'])
  assert.notEqual(one?.id, two?.id)

  must(await real.append(RAIN, [heard('another writer')]))
  isFirstDue.open()
  await isFirstThere.passed
  const [moved, ...none] = ledger.unsaved()
  assert.deepEqual([moved?.id, moved?.event.seq, none], [two?.id, 3, []])

  isSecondDue.open()
  await ledger.saved()
  assert.deepEqual(ledger.unsaved(), [])
  const events = must(await real.read(RAIN))
  assert.deepEqual(
    events.map(event => [event.seq, event.at, event.type === 'message.received' && event.text]),
    [
      [1, '2026-01-01T00:00:05.000Z', 'another writer'],
      [2, '2026-01-01T00:00:05.000Z', 'one'],
      [3, '2026-01-01T00:00:05.000Z', 'two'],
    ],
  )
  assert.equal(ledger.standing().head, 3)
})
