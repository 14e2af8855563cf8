import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSettable, prepared } from '../../../web/src/markdown/math/tex.ts'
import { documentOf } from '../../../web/src/markdown/read.ts'
import type { FormulaNode } from '../../../web/src/markdown/tree.ts'

/** Every formula in a text, in order. */
function formulasIn(text: string): readonly FormulaNode[] {
  const found: FormulaNode[] = []
  JSON.stringify(documentOf(text), (_, value) => {
    if (value?.type === 'formula') found.push(value)
    return value
  })
  return found
}

const FOUND: readonly (readonly [text: string, tex: readonly string[]])[] = [
  ['$x^2$', ['x^2']],
  ['let $a$, $b$.', ['a', 'b']],
  ['(\\(x\\))', ['x']],
  ['$$x$$', ['x']],
  ['$$\nx\n+ y\n$$', ['x\n+ y']],
  ['words\n$$\nx\n$$\nwords', ['x']],
  ['\\[\nx\n\\]', ['x']],
  ['- item\n\n  $$\n  x\n  $$', ['x']],
  ['| $a$ |\n|---|\n| \\(b\\) |', ['a', 'b']],
  ['$a_1 * b$ and $c * d_2$', ['a_1 * b', 'c * d_2']],
  ['*so $a*b$ is*', ['a*b']],
  ['$\\$5$', ['\\$5']],
  ['**$x$**', ['x']],
]

const MONEY: readonly string[] = [
  '$5 and $10',
  '$5-$10',
  '$ x $',
  '$x $ y',
  '$ x$',
  'US$5 or US$ 6',
  '$HOME/$USER',
  '$HOME:$PATH',
  'a $ b',
  '\\$x\\$',
  '`$x$`',
  '$a\nb$',
  '$$',
  '$$ $$',
  '\\\\(x\\\\)',
  '\\(never closed',
  '    $x$',
]

test('formulas are found between their delimiters', () => {
  for (const [text, tex] of FOUND) {
    assert.deepEqual(
      formulasIn(text).map(formula => formula.tex),
      tex,
      text,
    )
  }
  assert.deepEqual(documentOf('$$\nx\n$$\n'), [{ type: 'formula', tex: 'x', source: '$$\nx\n$$', display: true }])
})

test('money, variables and escapes are text', () => {
  for (const text of MONEY) assert.deepEqual(formulasIn(text), [], text)
})

test('what a formula may do is bounded before it is set', () => {
  assert.equal(isSettable('x'.repeat(5001)), false)
  for (const tex of ['\\message{x}', '\\errmessage x', '\\show\\x', '\\fcolorbox{a}{b}{c}']) assert.equal(isSettable(tex), false)
  for (const tex of ['\\shown', '\\frac12']) assert.equal(isSettable(tex), true)
  assert.equal(prepared('\\pmb{x} \\pmbx').source, '\\boldsymbol{x} \\pmbx')
  assert.equal(prepared('\\frac12').maxExpand, 1000)
  for (const command of ['def', 'gdef', 'edef', 'xdef', 'let', 'newcommand', 'renewcommand', 'providecommand']) {
    assert.ok(prepared(`\\${command}\\a{${'x'.repeat(500)}}`).maxExpand <= 100, command)
  }
})
