import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forbidden, widthless } from '../../src/skill/characters.ts'
import { parseFrontmatter } from '../../src/skill/frontmatter.ts'
import { shownText } from '../../src/skill/shown.ts'
import { workedMs } from '../support/thread-time.ts'
import { tries } from '../support/tries.ts'

const parsed = (content: string) => {
  const result = parseFrontmatter(content)
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}
const wrong = (content: string) => {
  const result = parseFrontmatter(content)
  assert.ok(!result.ok)
  return result.fault
}

/** Characters of every kind, halves of characters among them. */
const anyText = fc
  .array(fc.oneof(fc.nat(0x7f), fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength: 150 })
  .map(codes => String.fromCodePoint(...codes))

test('content whose first line is no rule is never touched', () => {
  const lines = fc.array(fc.oneof(fc.constantFrom('---', '--- ', '---\r', 'name: x', '', '# T', ' ---'), fc.string()), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(lines, lines => {
      const content = lines.join('\n')
      fc.pre(!/^---[ \t]*\r?(\n|$)/.test(content))
      assert.deepEqual(parsed(content), { name: '', description: '', bins: [], body: content })
    }),
    tries(100),
  )
})

test('whatever stands behind a frontmatter is the body, trimmed', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('\n', '\r\n'), (body, end) => {
      const content = `---${end}name: x${end}---${end}${body}`
      assert.deepEqual(parsed(content), { name: 'x', description: '', bins: [], body: body.trim() })
    }),
    tries(100),
  )
})

test('any block of YAML gives fields or a line of the file, in little time', () => {
  const piece = fc.constantFrom(
    'a: ',
    '&a ',
    '*a',
    '[',
    ']',
    '{',
    '}',
    '- ',
    '? ',
    '\n',
    '  ',
    'name',
    ': ',
    '"',
    "'",
    '|',
    '>',
    '!t ',
    '#',
    '<<: ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), pieces => {
      const yaml = pieces.join('')
      const result = parseFrontmatter(`---\n${yaml}\n---\n`)
      if (!result.ok) assert.ok(result.fault.line >= 1 && result.fault.line <= yaml.split('\n').length + 2)
    }),
    tries(2000),
  )
})

test('blocks made to take for ever do not', () => {
  const bombs = [
    Array.from({ length: 40_000 }, (_, key) => `k${key}: 1`).join('\n'),
    `a: ${'['.repeat(100_000)}`,
    `a: ${'{a: '.repeat(2000)}`,
    '? '.repeat(4000),
    `a: &a [x, x]\n${Array.from({ length: 100 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *a]`).join('\n')}`,
  ]
  const begun = workedMs()
  for (const bomb of bombs) assert.ok(wrong(`---\n${bomb}\n---\n`).message.length > 0)
  assert.ok(workedMs() - begun < 1000)
})

test('keys that every object has are keys like others', () => {
  const { name, description } = parsed('---\n__proto__: {name: evil}\nconstructor: {prototype: {description: evil}}\n---\n')
  assert.deepEqual([name, description, ({} as { name?: string }).name], ['', '', undefined])
})

test('a merge key merges nothing', () => {
  assert.equal(parsed('---\nbase: &base {name: merged}\n<<: *base\n---\n').name, '')
})

test('an escape does not smuggle in what the file may not hold', () => {
  assert.deepEqual(wrong('---\nname: x\ndescription: "a\\U000E0041b"\n---\n'), {
    line: 3,
    message: 'the description holds U+E0041, which is invisible',
  })
  assert.equal(wrong('---\ndescription: "\\u202Eevil"\n---\n').line, 2)
})

test('what nobody can see is found with its place', () => {
  assert.deepEqual(forbidden('a\nb😀\u202Ec'), { character: 'U+202E', line: 2, column: 3 })
  const every = [
    0xe0000, 0xe0041, 0xe007f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200e, 0x200f, 0x61c,
  ]
  for (const code of every) assert.ok(forbidden(`x${String.fromCodePoint(code)}`), code.toString(16))
  assert.equal(forbidden('Ünïcödé ﷺ 漢字 👩‍💻 é\t\r\n'), undefined)
})

test('what has no width is found, and the strokes of an emoji are not', () => {
  for (const code of [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff]) {
    const character = `U+${code.toString(16).toUpperCase()}`
    assert.deepEqual(widthless(`ab${String.fromCodePoint(code)}`), { character, line: 1, column: 3 })
  }
  assert.equal(widthless('👩‍💻 👩🏽‍🚀 🏳️‍🌈'), undefined)
})

test('foreign text is shown short, in quotes, on one line, with nothing unseen', () => {
  fc.assert(
    fc.property(anyText, text => {
      const line = shownText(text)
      assert.match(line, /^"[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*"$/u)
      assert.ok(line.length <= 64 * 12 + 3)
    }),
    tries(100),
  )
  assert.equal(shownText('a\u001b[31m\u202eb'), '"a\\u001b[31mU+202Eb"')
})
