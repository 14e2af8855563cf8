// How long a reply may be: what the model can put out, what people say, and what thinking gets on top.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { replyLimit, withoutThinking, withThinking } from '../../src/context/reply-limit.ts'
import { tries } from '../support/tries.ts'

type Row = readonly [
  name: string,
  wanted: number | null,
  window: number,
  output: number | undefined,
  thinks: boolean,
  reply: number,
  thought: number | null,
]

const ROWS: readonly Row[] = [
  ['what the catalog says', null, 128_000, 8192, false, 8192, null],
  ['at most 32,000', null, 1_000_000, 128_000, false, 32_000, null],
  ['at most a quarter of the window', null, 32_000, 32_000, false, 8000, null],
  ['16,384 where nothing is known', null, 128_000, undefined, false, 16_384, null],
  ['a quarter of a small window of which nothing else is known', null, 8192, undefined, false, 2048, null],
  ['thinking gets 60 % on top', null, 1_000_000, 128_000, true, 32_000, 19_200],
  ['the sum is at most what the model can put out', null, 1_000_000, 40_000, true, 20_800, 19_200],
  ['the reply keeps half of that', null, 1_000_000, 32_000, true, 16_000, 16_000],
  ['as a person says', 1000, 200_000, 64_000, false, 1000, null],
  ['as a person says, and thinking on top', 1000, 200_000, 64_000, true, 1000, 600],
  ['never more than the model can put out', 90_000, 200_000, 64_000, false, 64_000, null],
  ['a limit that would fill the window shares it', 9000, 8192, undefined, false, 4096, null],
  ['thinking leaves room where the model can fill its window', 100_000, 131_072, 131_072, true, 71_072, 27_232],
  ['thinking leaves room for the request', 6000, 8192, undefined, true, 6000, 144],
]

for (const [name, wanted, window, output, thinks, reply, thought] of ROWS)
  test(`reply limit: ${name}`, () => {
    assert.deepEqual(replyLimit(wanted, { window, ...(output === undefined ? {} : { output }) }, thinks), { reply, thought })
  })

test('reply and thinking always leave room for a request, and never exceed what the model can put out', () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer({ min: 1, max: 300_000 })),
      fc.integer({ min: 2, max: 2_000_000 }),
      fc.option(fc.integer({ min: 2, max: 200_000 }), { nil: undefined }),
      fc.boolean(),
      (wanted, window, output, thinks) => {
        const { reply, thought } = replyLimit(wanted, { window, ...(output === undefined ? {} : { output }) }, thinks)
        const sum = reply + (thought ?? 0)
        assert.ok(Number.isInteger(sum) && reply >= 1 && (thought ?? 0) >= 0)
        assert.ok(sum < window || window < 4, `${sum} of ${window}`)
        assert.ok(sum <= (output ?? sum))
      },
    ),
    tries(300),
  )
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 100_000 }), fc.boolean(), (output, thinks) => {
      assert.ok(withThinking(withoutThinking(output, thinks), thinks) <= output)
    }),
    tries(300),
  )
})
