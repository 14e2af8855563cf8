import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mended } from '../../../web/src/markdown/mended.ts'
import { documentOf } from '../../../web/src/markdown/read.ts'

/** What has arrived so far, and what is shown of it. */
const MENDED: readonly (readonly [string, string])[] = [
  ['words', 'words'],
  ['a **b', 'a **b**'],
  ['a **b ', 'a **b**'],
  ['a **', 'a '],
  ['a **b*', 'a **b**'],
  ['a **b** c', 'a **b** c'],
  ['***a', '***a***'],
  ['a *b **c', 'a *b **c***'],
  ['~~a', '~~a~~'],
  ['_a', '_a_'],
  ['snake_case_name', 'snake_case_name'],
  ['2*3 and 2 * 3', '2*3 and 2 * 3'],
  ['\\*a', '\\*a'],
  ['a\\', 'a'],
  ['a `b', 'a `b`'],
  ['a `**b', 'a `**b`'],
  ['a ``b`', 'a ``b```'],
  ['a `', 'a '],
  ['`a` **b', '`a` **b**'],
  ['a [b](https://c', 'a b'],
  ['**a [b](https://c', '**a b**'],
  ['a ![b](https://c', 'a b'],
  ['a [b](https://c) d', 'a [b](https://c) d'],
  ['a [b', 'a [b'],
  ['- a\n- **b', '- a\n- **b**'],
  ['- *a\n- b', '- *a\n- b'],
  ['*a\n\nb', '*a\n\nb'],
  ['> **a', '> **a**'],
  ['# **a', '# **a**'],
  ['a\n-', 'a\n'],
  ['a\n==', 'a\n'],
  ['a\n1.', 'a\n'],
  ['a\n> *', 'a\n'],
  ['a\n``', 'a\n'],
  ['- ```\n  **a', '- ```\n  **a'],
  ['| a | b |\n|-', '| a | b |\n|-|-|'],
  ['| a | b |\n|:-:|--', '| a | b |\n|:-:|--|'],
  ['| a | b |\n|---|---|\n| **c', '| a | b |\n|---|---|\n| **c**'],
  ['costs $5 and', 'costs $5 and'],
  ['a \\(x*y', 'a ` \\(x*y `'],
  ['$$\nx `', '`` $$\nx ` ``'],
  ['$$x$$ and \\(y\\) **b', '$$x$$ and \\(y\\) **b**'],
]

test('what is begun is ended, and a mark alone is not shown yet', () => {
  for (const [raw, shown] of MENDED) assert.equal(mended(raw), shown, JSON.stringify(raw))
})

test('a table is one as soon as its second line has begun', () => {
  assert.equal(documentOf(mended('| a | b |\n|'))[0]?.type, 'table')
})

test('no mark flashes while a text with many of them comes letter by letter', () => {
  const whole = 'Some **bold and *both* words**, `code here`, a [link](https://a.example/b) and ~~struck~~ text.'
  for (let length = 1; length <= whole.length; length += 1) {
    const shown = JSON.stringify(documentOf(mended(whole.slice(0, length))))
    assert.doesNotMatch(shown, /"text":"[^"]*(?:[*`~]|\]\()/, whole.slice(0, length))
  }
})
