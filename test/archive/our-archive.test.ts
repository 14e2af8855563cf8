import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textHash } from '../../src/archive/output/text-hash.ts'
import { complaint, fileOf, readAll } from './reading.ts'

const TEXT = fileOf('turnwise.json').toString()
const LINES = TEXT.split('\n')

/** The archive with one of its lines written otherwise. */
const edited = (line: number, change: (text: string) => string): string =>
  LINES.map((text, index) => (index === line - 1 ? change(text) : text)).join('\n')

test('facts keep the order of their keys, so that they are written as they were', async () => {
  const found = await readAll(TEXT)
  const written = found.flatMap(each => {
    if (each.type !== 'fact') return []
    const { type, ...rest } = each.fact
    return [JSON.stringify({ at: each.at, type, ...rest })]
  })
  const events = LINES.filter(line => line.startsWith('{"seq"')).map(line => line.replace(/,$/, '').replace(/"seq":\d+,/, ''))
  assert.deepEqual(written, events)
})

test('a field is read under the name an earlier Turnwise gave it, and is checked as strictly', async () => {
  const asWritten = (rest: string): string => edited(3, text => text.replace('"from":"person"', `"from":"person",${rest}`))
  const [message] = (await readAll(asWritten('"asked":["ada"],"key":"k"'))).flatMap(each =>
    each.type === 'fact' ? [each.fact] : [],
  )
  assert.equal(
    JSON.stringify(message),
    '{"text":"What time is it? 🕛","from":"person","voices":["ada"],"key":"k","type":"message.received"}',
  )
  for (const [rest, why] of [
    ['"asked": ["ada"]', /^line 3: the file is not as it was written/],
    ['"asked":["ada"],"asked":["ada"]', /^line 3: the file is not as it was written/],
    ['"asked":["ada"],"type":"turn.ended"', /^line 3: the file is not as it was written/],
    ['"asked":"ada"', /^line 3: the message.received's voices/],
  ] as const)
    assert.match(await complaint(asWritten(rest), 'turnwise'), why)
})

test('no archive that was cut off is taken for a whole one', async () => {
  const bytes = Buffer.from(TEXT)
  for (let length = 0; length < bytes.length - 1; length += 1 + (length % 5)) {
    const said = await complaint(bytes.subarray(0, length), 'turnwise')
    assert.match(said, /^(line \d+: .+|the file is empty)/, `after ${length} bytes`)
  }
  assert.equal(await complaint(bytes.subarray(0, -1)), 'nothing', 'only the last line’s end is missing')
})

test('whatever was edited is refused with its line', async () => {
  const cases: readonly (readonly [number, (text: string) => string, RegExp])[] = [
    [
      1,
      text => text.replace('"version":1', '"version":2'),
      /^line 1: the archive has the version 2; this Turnwise reads version 1/,
    ],
    [1, text => `${text} `, /^line 1: an archive of Turnwise begins otherwise/],
    [2, text => text.replace('"ses_1"', '"ses_A"'), /^line 2: the session's id: is no id of a session/],
    [2, text => text.replace('"title":', '"titel":'), /^line 2: the session's /],
    [2, text => text.replace('"messages":2', '"messages":2.0'), /^line 2: the file is not as it was written/],
    [2, text => text.replace('.000Z', '.000+00:00'), /^line 2: the session's createdAt: is no time/],
    [3, text => text.replace('"seq":1', '"seq":2'), /^line 3: the event has the seq 2 where 1 should follow/],
    [3, text => text.replace('2026-01-01T', '2026-01-99T'), /^line 3: .* is no time/],
    [3, text => text.replace('message.received', 'message.dreamt'), /^line 3: unknown type "message.dreamt"/],
    [3, text => text.replace('"from":"person"', '"from":"person","__proto__":{"a":1}'), /^line 3: the message.received's /],
    [3, text => text.replace('"from":"person"', '"from":"person","tokens":0'), /^line 3: the message.received's /],
    [
      3,
      text => text.replace('"from":"person"', '"from":"person","type":"turn.ended"'),
      /^line 3: the file is not as it was written/,
    ],
    [3, text => text.replace('"from":"person"', '"from":"a","from":"person"'), /^line 3: the file is not as it was written/],
    [3, text => text.replace('"text":', '"text": '), /^line 3: the file is not as it was written/],
    [3, text => text.replace('What', '\\u0057hat'), /^line 3: the file is not as it was written/],
    [3, text => text.slice(0, -1), /^line 4: the file is not as it was written/],
    [3, () => '', /^line 3: /],
    [4, text => text.replace('trn_1', 'trn 1'), /^line 4: the turn.started's turn: is no id of a turn/],
    [5, text => text.replace('"ladder":[]', '"ladder":{}'), /^line 5: the receipt is damaged/],
    [6, text => text.replace('"type":"think"', '"type":"dream"'), /^line 6: a part of the reply is damaged/],
    [6, text => text.replace('"signature":"s"', '"seal":"s"'), /^line 6: the reply.finished's parts/],
    [10, text => text.replace('"done"', '"bored"'), /^line 10: the turn.ended's reason/],
    [11, text => `${text},`, /^line 12: /],
    [13, text => text.replace('# House', '# house'), /^line 13: the text is not the one that its hash names/],
    [14, () => ']}', /^line 15: the file is not as it was written/],
    [15, text => text.replaceAll('ses_2', 'ses_1'), /^line 15: the session ses_1 is in this file twice/],
    [18, () => ']},', /^line 18: the file is not as it was written/],
    [18, text => `${text}\n{}`, /^line 19: /],
  ]
  for (const [line, change, expected] of cases) {
    const text = edited(line, change)
    assert.notEqual(text, TEXT, `line ${line} was changed`)
    assert.match(await complaint(text, 'turnwise'), expected, `${line}: ${expected}`)
  }
  assert.match(await complaint(TEXT.replaceAll('\n', '\r\n')), /^line 1: /)
  assert.match(await complaint(JSON.stringify(JSON.parse(TEXT), null, 2), 'turnwise'), /^line 1: /)
})

test('lengths are counted here, whatever a file says', async () => {
  const found = await readAll(TEXT)
  const tokens = found.flatMap(each => (each.type === 'fact' && each.fact.type === 'message.received' ? [each.tokens] : []))
  assert.deepEqual(tokens, [8])
})

test('a line that never ends is refused before it is held', async () => {
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(LINES.slice(0, 2).join('\n'))
    yield Buffer.from('\n{"seq":1,"at":"2026-01-01T12:00:00.000Z","type":"message.received","text":"')
    for (let piece = 0; ; piece += 1) {
      assert.ok(piece < 120, 'no more is asked for')
      yield Buffer.alloc(1 << 20, 'a')
    }
  }
  assert.match(await complaint(endless()), /^line 3: the line is longer than 112 MiB/)
})

test('texts that differ only by half a character are two', () => {
  const texts = ['\ud83d', '\udc00', '\ufffd', '\ud83d\udc00']
  assert.equal(new Set(texts.map(textHash)).size, texts.length)
})

test('an archive of nothing is whole', async () => {
  assert.deepEqual(await readAll('{"turnwise":"archive","version":1,"sessions":[\n]}\n'), [])
})
