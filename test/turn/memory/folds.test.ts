// A stretch of the past becomes a summary: ahead of the drop that needs it, once, from the original words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLD } from '../../../src/model/settings/council.ts'
import { linesOf } from '../../support/council.ts'
import { eventsOf } from '../../support/engine.ts'
import {
  answer,
  countingFolds,
  endOfFold,
  folder,
  folderWith,
  isFoldUnderWay,
  isForFold,
  question,
  receiptsOf,
  SUMMARY,
  talk,
  talkUntilFolded,
  verifies,
} from '../../support/folding.ts'

test('a fold is made ahead, when the window is nearly full, and used at the next drop', async () => {
  const house = await folderWith(folder())
  const n = await talkUntilFolded(house)
  const [fold] = await countingFolds(house)
  assert.ok(fold)
  assert.equal(fold.by, 'model')
  assert.equal(fold.from, 1)
  assert.ok(fold.text.startsWith(SUMMARY), fold.text)
  assert.equal((await receiptsOf(house)).at(-1)?.window.folds, undefined, 'no request was waiting for it')

  // Nothing changes before the window has to drop.
  for (let next = n + 1; next < n + 12; next += 1) {
    await talk(house, next)
    const receipt = (await receiptsOf(house)).at(-1)
    assert.ok(receipt)
    if (receipt.window.folds === undefined) {
      assert.equal(receipt.window.begins, 1)
      continue
    }
    assert.deepEqual(receipt.window.folds, [fold.seq])
    assert.ok((receipt.window.begins ?? 0) > fold.to, 'it begins behind the fold')
    assert.ok(receipt.out.some(({ reason, from, to }) => reason === 'out.folded' && from === 1 && to === fold.to))
    const [front] = linesOf(house.provider.requests.findLast(request => !isForFold(request)) ?? { messages: [] } as never)
    assert.match(front ?? '', /^user: \[Summary of earlier messages:\n\nThe person had tickets noted/)
    assert.equal(await verifies(house) > n, true)
    return house.engine.close()
  }
  assert.fail('the window never dropped')
})
void [FOLD, eventsOf, answer, endOfFold, isFoldUnderWay, question]
