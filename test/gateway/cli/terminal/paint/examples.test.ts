import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPainter } from '../../../../../src/gateway/cli/terminal/paint/painter.ts'

const ESCAPE = String.fromCharCode(27)

/** With colours written as `‹1›bold‹›`, so that they can be read here. */
function painted(text: string, columns: number): string {
  const painter = createPainter({ columns, color: true })
  return (painter.write(text) + painter.end())
    .replaceAll(`${ESCAPE}[0m`, '‹›')
    .replaceAll(new RegExp(`${ESCAPE}\\[([\\d;]+)m`, 'g'), '‹$1›')
}

type Example = { readonly text: string; readonly narrow: string; readonly wide: string }

const EXAMPLES: Readonly<Record<string, Example>> = {
  'paragraphs and what stands in a line': {
    text: `Plain words with **strong ones**, *emphasis*, \`code\` and ~~struck out~~ text that goes on.
A new line stays one.


Two \\* three &lt; four, $x_1 + y_1$ and \\(a_b\\).`,
    narrow: `Plain words with ‹1›strong‹›‹1› ones‹›, ‹3›emphasis‹›,
‹36›code‹› and ‹9›struck out‹› text that goes on.
A new line stays one.

Two * three < four, $x_1 + y_1$ and
\\(a_b\\).
`,
    wide: `Plain words with ‹1›strong‹›‹1› ones‹›, ‹3›emphasis‹›, ‹36›code‹› and ‹9›struck out‹› text that goes on.
A new line stays one.

Two * three < four, $x_1 + y_1$ and \\(a_b\\).
`,
  },
  headings: {
    text: `# First
Text.

### With \`code\` in it`,
    narrow: `‹1›First‹›
Text.

‹1›With‹› ‹1;36›code‹› ‹1›in‹›‹1› it‹›
`,
    wide: `‹1›First‹›
Text.

‹1›With‹› ‹1;36›code‹› ‹1›in‹›‹1› it‹›
`,
  },
  lists: {
    text: `- one that is long enough to be wrapped at forty columns
  - nested
- [ ] to do
- [x] done

1. first
2. second, which is also long enough to be wrapped
   - below it`,
    narrow: `• one that is long enough to be wrapped
  at forty columns
  • nested
[ ] to do
[x] done

1. first
2. second, which is also long enough to
   be wrapped
   • below it
`,
    wide: `• one that is long enough to be wrapped at forty columns
  • nested
[ ] to do
[x] done

1. first
2. second, which is also long enough to be wrapped
   • below it
`,
  },
  quotations: {
    text: `> Said by somebody, at such a length that it is wrapped.
>
> - an item

After it.`,
    narrow: `‹2›│‹› Said by somebody, at such a length
‹2›│‹› that it is wrapped.
‹2›│‹›
‹2›│‹› • an item

After it.
`,
    wide: `‹2›│‹› Said by somebody, at such a length that it is wrapped.
‹2›│‹›
‹2›│‹› • an item

After it.
`,
  },
  code: {
    text: `\`\`\`js
const answer = 42 // so they say

function ask(question, somebody, patience) { return "why" }
\`\`\`

And after.`,
    narrow: `‹2›\`\`\`js‹›
  ‹35›const‹› answer = ‹33›42‹› ‹2›// so they say‹›

  ‹35›function‹› ‹34›ask‹›(question, somebody, patie
  nce) { ‹35›return‹› ‹32›"why"‹› }
‹2›\`\`\`‹›

And after.
`,
    wide: `‹2›\`\`\`js‹›
  ‹35›const‹› answer = ‹33›42‹› ‹2›// so they say‹›

  ‹35›function‹› ‹34›ask‹›(question, somebody, patience) { ‹35›return‹› ‹32›"why"‹› }
‹2›\`\`\`‹›

And after.
`,
  },
  tables: {
    text: `| Name | Kind | Cost |
|:--|:-:|--:|
| \`alpha\` | **a** | 1 |
| beta gamma delta | b | 12.50 |

After.`,
    narrow: `‹1›Name‹›            ‹2› │ ‹›‹1›Kind‹›‹2› │ ‹› ‹1›Cost‹›
‹2›─────────────────┼──────┼──────‹›
‹36›alpha‹›           ‹2› │ ‹› ‹1›a‹›  ‹2› │ ‹›    1
beta gamma delta‹2› │ ‹› b  ‹2› │ ‹›12.50

After.
`,
    wide: `‹1›Name‹›            ‹2› │ ‹›‹1›Kind‹›‹2› │ ‹› ‹1›Cost‹›
‹2›─────────────────┼──────┼──────‹›
‹36›alpha‹›           ‹2› │ ‹› ‹1›a‹›  ‹2› │ ‹›    1
beta gamma delta‹2› │ ‹› b  ‹2› │ ‹›12.50

After.
`,
  },
  'links, images, HTML': {
    text: `See [the docs](https://example.com/docs), <https://example.com/x>, https://example.com/a_b_c, [bad](javascript:x) and ![a cat](https://example.com/cat.png). <b>Raw</b><br>next

<div>
  *as written*
</div>`,
    narrow: `See the docs ‹2›(https://example.com/docs)‹›,
https://example.com/x,
https://example.com/a_b_c,
[bad](javascript:x) and ‹2›[image: a‹›‹2› cat]‹›.
<b>Raw</b>
next

<div>
  *as written*
</div>
`,
    wide: `See the docs ‹2›(https://example.com/docs)‹›, https://example.com/x,
https://example.com/a_b_c, [bad](javascript:x) and ‹2›[image: a‹›‹2› cat]‹›. <b>Raw</b>
next

<div>
  *as written*
</div>
`,
  },
  'rules and formulas': {
    text: `Above

---

$$
a_1 = b_2
$$

Title
=====`,
    narrow: `Above

‹2›────────────────────────────────────────‹›

$$
a_1 = b_2
$$

Title
‹2›═════‹›
`,
    wide: `Above

‹2›────────────────────────────────────────────────────────────‹›

$$
a_1 = b_2
$$

Title
‹2›═════‹›
`,
  },
  'other scripts': {
    text: `日本語の文章はどこでも改行できます。「とても」長い文章ですから、折り返しが必要です。

Families 👩‍👧 and é count as one sees them; averyveryveryveryverylongwordthatdoesnotfit.`,
    narrow: `日本語の文章はどこでも改行できます。「と
ても」長い文章ですから、折り返しが必要で
す。

Families 👩‍👧 and é count as one sees
them;
averyveryveryveryverylongwordthatdoesnot
fit.
`,
    wide: `日本語の文章はどこでも改行できます。「とても」長い文章ですから、折り返しが必要で
す。

Families 👩‍👧 and é count as one sees them;
averyveryveryveryverylongwordthatdoesnotfit.
`,
  },
}

for (const [name, { text, narrow, wide }] of Object.entries(EXAMPLES))
  test(`${name}, at 40 and at 80 columns`, () => {
    assert.equal(painted(text, 40), narrow)
    assert.equal(painted(text, 80), wide)
  })

test('without colour there is no escape at all, and the marks of a line stay', () => {
  const painter = createPainter({ columns: 40, color: false, indent: '  ' })
  const text = `# Title

**strong** and \`code\` and a [link](https://example.com) in a line that is wrapped.

> - quoted
`
  assert.equal(
    painter.write(text) + painter.end(),
    `  # Title

  **strong** and \`code\` and a link
  (https://example.com/) in a line that
  is wrapped.

  │ • quoted
`,
  )
})

test('a table too wide for the screen is a list of records, and a long one does not wait for its end', () => {
  const table = '| Name | What it is |\n|---|---|\n| alpha | the first of many letters |\n| beta | another |\n'
  assert.equal(
    painted(table, 24),
    `‹1›Name:‹› alpha
‹1›What it is:‹› the first of
  many letters

‹1›Name:‹› beta
‹1›What it is:‹› another
`,
  )
  const long = createPainter({ columns: 80, color: false })
  const first = long.write(`| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(600)}`)
  assert.match(first, /^a │ b\n──┼──\n1 │ 2\n/)
  assert.match(first, /1 │ 2\na: 1\nb: 2\n/)
  assert.equal(`${first}${long.end()}`.match(/2(?=\n)/g)?.length, 600)
})

test('rows that are no table, code in a quotation that ends, a paragraph that goes on: nothing is lost', () => {
  assert.equal(painted('| not a table\nwords', 40), '| not a table\nwords\n')
  assert.equal(painted('| a | b |\n| no rule |\n', 40), '| a | b |\n| no rule |\n')
  assert.equal(painted('> ```\n> x\nout', 40), '‹2›│‹› ‹2›```‹›\n‹2›│‹›   x\nout\n')
  assert.equal(painted('- a\nlazy\n\nout', 40), '• a\n  lazy\n\nout\n')
  assert.equal(painted('In\n2024. It was', 40), 'In\n2024. It was\n')
  assert.equal(painted('```', 40), '‹2›```‹›\n')
})
