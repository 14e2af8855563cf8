// Files as they are written, to the letter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationPiece, ExportedTurn } from '../../src/archive/output/conversation-view.ts'
import { fileNameOf } from '../../src/archive/output/conversation-words.ts'
import { htmlOfMarkdown } from '../../src/archive/output/html-markdown.ts'
import { port42Pieces } from '../../src/archive/output/port42.ts'
import { archivePieces } from '../../src/archive/output/turnwise.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Session } from '../../src/model/session.ts'

const at = '2026-01-02T03:04:05.000Z'
const id = 'ses_a' as SessionId
const session: Session = {
  ...{ id, title: 'Boats', preview: null, agent: 'muse', council: null, project: null, policy: 'steady', model: null },
  ...{ archived: false, createdAt: at, updatedAt: at, messages: 2, family: id, importedThrough: 2 },
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

test('an archive keeps the place of a row that can no longer be read', async () => {
  const events: Recorded[] = [
    { type: 'damaged', session: id, seq: 1, at, tokens: 0, messages: 1, why: 'the body is not JSON' },
    { type: 'message.marked', session: id, seq: 2, at, tokens: 0, target: 1, mark: 'pin' },
  ]
  const one = { session, events: () => each(events), texts: () => each([{ hash: 'sha256:1', text: '\u2028' }]) }
  const none = { session: { ...session, importedThrough: 0 }, events: () => each([]), texts: () => each([]) }
  const shown =
    '{"id":"ses_a","title":"Boats","preview":null,"agent":"muse","council":null,"project":null,"policy":"steady","model":null,"archived":false,"createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z","messages":2,"family":"ses_a"}'
  assert.equal(
    await whole(archivePieces(each([one, none]))),
    `{"turnwise":"archive","version":1,"sessions":[
{"session":${shown},"events":[
{"seq":1,"at":"${at}","type":"session.changed","changes":{}},
{"seq":2,"at":"${at}","type":"message.marked","target":1,"mark":"pin"}
],"texts":[
{"hash":"sha256:1","text":"\u2028"}
]},
{"session":${shown},"events":[
],"texts":[
]}
]}
`,
  )
})

test('a session file of Port 42 has what was said and answered, and nothing else', async () => {
  const message = {
    type: 'message.received',
    text: 'Hello\u2028you',
    from: 'person',
    at,
    parts: [{ type: 'image', name: 'a.png' }],
  }
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
  const pieces: readonly ConversationPiece[] = [
    { type: 'message', message: message as never },
    { type: 'turns', turns: [{ ...turn, parts: [{ type: 'text', text: 'No' }], end: { reason: 'failed' } }] },
    {
      type: 'turns',
      turns: [
        {
          ...turn,
          parts: [
            { type: 'think', text: 'Hm' },
            { type: 'text', text: 'Yes' },
          ],
        },
      ],
    },
  ]
  assert.equal(
    await whole(port42Pieces(session, each(pieces))),
    `{
  "id": "ses_a",
  "agent": "@ai-muse",
  "state": "active",
  "created_at": "${at}",
  "updated_at": "${at}",
  "messages": [
    {
      "role": "user",
      "content": "Hello\u2028you\\n\\n[Image a.png]",
      "timestamp": "${at}"
    },
    {
      "role": "assistant",
      "content": "Yes",
      "timestamp": "${at}"
    }
  ]
}
`,
  )
  assert.deepEqual(JSON.parse(await whole(port42Pieces(session, each([])))).messages, [])
})

test('a file is called by its title, safely', () => {
  const named = (title: string | null): string => fileNameOf({ ...session, title }, 'json')
  assert.equal(named('Søren & the "boats"/../x'), 'turnwise-soren-the-boats-x-ses_a.json')
  assert.equal(named('船'), 'turnwise-ses_a.json')
  assert.equal(named(null), 'turnwise-an-empty-conversation-ses_a.json')
})

test('Markdown becomes elements of ours; everything else is text', () => {
  assert.equal(
    htmlOfMarkdown(
      '# A & B\n\n- [x] *one* `<b>`\n- two\n\n<i>raw</i> ![cat](https://e.invalid/c.png) [w](javascript:x) [o](https://e.invalid)',
    ),
    '<h4>A &amp; B</h4><ul><li class="task">☑ <p><em>one</em> <code>&lt;b&gt;</code></p></li><li><p>two</p></li></ul>' +
      '<p>&lt;i&gt;raw&lt;/i&gt; cat (<a href="https://e.invalid/c.png" title="https://e.invalid/c.png" rel="noopener noreferrer" target="_blank">https://e.invalid/c.png</a>) ' +
      'w (javascript:x) <a href="https://e.invalid/" title="https://e.invalid/" rel="noopener noreferrer" target="_blank">o</a></p>',
  )
  assert.match(htmlOfMarkdown('|a|b|\n|-|-:|\n|1|2|'), /<td>1<\/td><td class="right">2<\/td>/)
  assert.equal(htmlOfMarkdown('&lt;b&gt; &copy; \u0007'), '<p>&lt;b&gt; &copy; \ufffd</p>')
})
