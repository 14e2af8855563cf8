// Whatever was said stays in its place: in Markdown within its quotation, in code within its fence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Lexer, type Token } from 'marked'
import type { ConversationPiece, ExportedTurn } from '../../src/archive/output/conversation-view.ts'
import { markdownPieces } from '../../src/archive/output/markdown.ts'
import { fenced, plainWords, quotedMarkdown } from '../../src/archive/output/quoted-markdown.ts'
import type { Session } from '../../src/model/session.ts'
import { HOSTILE } from '../browser/support/hostile-corpus.ts'
import { tries } from '../support/tries.ts'

/** Every token of a document, however deep. */
function* within(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    const { tokens: inner = [], items = [], rows = [], header = [] } = token as Record<string, never[] | undefined>
    yield* within([...inner, ...items])
    for (const { tokens: cell } of [...header, ...rows.flat()] as { tokens: Token[] }[]) yield* within(cell)
  }
}

function assertQuoted(text: string): void {
  const tokens = new Lexer({ gfm: true }).lex(`before\n\n${quotedMarkdown(text)}\n\nafter`)
  const top = tokens.filter(({ type }) => type !== 'space')
  assert.deepEqual(
    [top.at(0)?.raw.trim(), [...new Set(top.slice(1, -1).map(({ type }) => type))].join(), top.at(-1)?.raw.trim()],
    ['before', top.length === 2 ? '' : 'blockquote', 'after'],
    JSON.stringify(text),
  )
  for (const { type, raw } of within(tokens)) {
    assert.ok(!['html', 'image', 'def'].includes(type), `${type} ${raw} of ${JSON.stringify(text)}`)
  }
  assert.deepEqual(Object.keys(tokens.links), [])
}

/** Code that ends sooner than it seems, or never began. */
const CODE = [
  '- ```js\n  code\n  ```\n  <script>',
  '1. x\n    ```\n    code\n   ```\n   <script>',
  '- a\n  ```\nb\n  ```\n  <script>',
  '- a\n  ```\n     ```\n  <script>',
  'words `\n` <script> `',
  '| a |\n|---|\n| ` | ` z ` <script> ` |',
  '```\na\n```\t\n<script>',
  'words\n    ```\n    <script>',
  'https://e.invalid``<script>``',
]

test('no text leaves its quotation, is fetched, or becomes HTML', () => {
  for (const text of [...HOSTILE, ...CODE]) assertQuoted(text)
  const bits = ['```', '~~~', '``', '`', '<script>', '<!--', '</blockquote>', '\n', '\n\n', '  ', '    ', '\t', '- ', '1. ', '> ']
  const more = ['|', '|---|', '[x]: http://e.invalid', '[x]', '![a](http://e.invalid)', '\\', 'a', '# h', '===', '\r', '\u2028']
  const addresses = ['https://e.invalid/', 'www.e.invalid', '*', '_', '&lt;', '(', ')', '"', '[^1]: ']
  const texts = fc.array(fc.constantFrom(...bits, ...more, ...addresses), { minLength: 1, maxLength: 14 })
  fc.assert(
    fc.property(texts, pieces => assertQuoted(pieces.join(''))),
    tries(1500),
  )
})

test('code that everybody takes for code is left as it is', () => {
  const text = 'See `<div>` and:\n\n```html\n<b>![x](y)</b>\n```\n\n1. x\n   ```\n   <i>\n   ```\n<u>'
  assert.equal(
    quotedMarkdown(text),
    '> See `<div>` and:\n>\n> ```html\n> <b>![x](y)</b>\n> ```\n>\n> 1. x\n>    ```\n>    <i>\n>    ```\n> &lt;u>',
  )
  assert.equal(fenced('a ````` b'), '``````\na ````` b\n``````')
  assert.equal(plainWords('# *a*\n[b](c) \u001b[31m'), '\\# \\*a\\* \\[b\\](c) ␛\\[31m')
})

const at = '2026-01-02T03:04:05.000Z'
const session = { id: 'ses_1', title: '# Boats', preview: null, agent: 'muse', council: null, createdAt: at, updatedAt: at }
const turn: ExportedTurn = {
  name: 'Muse',
  voice: 'muse',
  at,
  parts: [],
  wentOn: false,
  isCutAtLimit: false,
  requests: [],
  end: { reason: 'done' },
}

test('a conversation reads from above to below, with what went wrong in words', async () => {
  const fault = { kind: 'timeout', message: 'nobody *answered*', retryable: true } as const
  const call = { type: 'call', call: 'c', tool: 'stamp', args: '{}' } as const
  async function* pieces(): AsyncGenerator<ConversationPiece> {
    yield { type: 'turns', turns: [{ ...turn, end: { reason: 'failed', fault } }] }
    yield { type: 'turns', turns: [{ ...turn, resumes: 'failed', wentOn: true, parts: [call, { type: 'text', text: '# Yes' }] }] }
  }
  let text = ''
  for await (const piece of markdownPieces(session as Session, pieces())) text += piece
  assert.equal(
    text,
    `# \\# Boats

- Began: 2026-01-02 03:04 UTC
- Last used: 2026-01-02 03:04 UTC
- Answered by: muse
- Session: ses\\_1

## Muse · 2026-01-02 03:04 UTC

*Not answered: nobody \\*answered\\**

## Muse · 2026-01-02 03:04 UTC

*Tried again after it failed.*

*It was interrupted in between, and went on.*

**Tool** stamp

\`\`\`json
{}
\`\`\`

*No result is known.*

> # Yes
`,
  )
})
