import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bound } from '../../src/tool/process/bound-output.ts'
import { type Captured, createCapture } from '../../src/tool/process/capture.ts'
import { settlementOfRun } from '../../src/tool/process/outcome.ts'
import { tries } from '../support/tries.ts'

function capturedOf(text: string | Uint8Array, each = 256 * 1024, chunk = 65_536): Captured {
  const bytes = Buffer.from(text as string)
  const capture = createCapture(each)
  for (let at = 0; at < bytes.length; at += chunk) capture.add(bytes.subarray(at, at + chunk))
  return capture.captured()
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

test('what fits is left as it is', () => {
  assert.equal(bound(capturedOf('')), '')
  assert.equal(bound(capturedOf('a\n\nb')), 'a\n\nb')
  assert.equal(bound(capturedOf('x'.repeat(256 * 1024))), 'x'.repeat(256 * 1024))
})

test('what does not fit keeps whole lines of both ends, and says what is missing', () => {
  assert.equal(
    bound(capturedOf(numbered(1000)), 60),
    'line 1\nline 2\nline 3\nline 4\n… 993 lines (9 KB) left out …\nline 998\nline 999\nline 1000\n',
  )
})

test('one giant line is cut between characters, and counted', () => {
  assert.equal(bound(capturedOf('abcdefghij'.repeat(10)), 20), 'abcdefghij … 80 bytes left out … abcdefghij')
  const text = bound(capturedOf('😀'.repeat(50_000)), 1003)
  assert.match(text, /^(😀){125} … 199,000 bytes left out … (😀){125}$/u)
})

test('bytes that are no text are shown, and still bounded', () => {
  assert.equal(bound(capturedOf(Buffer.from([0x61, 0xff, 0x00, 0xc3, 0x62]))), 'a\ufffd\u2400\ufffdb')
  const garbage = bound(capturedOf(Buffer.alloc(800_000, 0xff)))
  assert.ok(Buffer.byteLength(garbage) <= 256 * 1024 + 64 && Buffer.byteLength(garbage) > 128 * 1024)
  const [, left = ''] = /… ([\d,]+) bytes left out …/.exec(garbage) ?? []
  assert.equal(Number(left.replaceAll(',', '')) + (garbage.match(/\ufffd/g) ?? []).length, 800_000)
})

test('whatever is written in whatever pieces, both ends are kept and every byte is counted', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' '), maxLength: 30 })
  const texts = fc.array(line, { maxLength: 80 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 300 }), fc.integer({ min: 64, max: 400 }), (text, chunk, each) => {
      const whole = Buffer.from(text)
      const captured = capturedOf(text, each, chunk)
      assert.equal(captured.bytes, whole.length)
      assert.equal(captured.lines, text.split('\n').length - 1)
      assert.deepEqual(Buffer.from(captured.front.subarray(0, each)), whole.subarray(0, each))
      assert.deepEqual(Buffer.from(captured.back.subarray(-each)), whole.subarray(-each))

      const shown = bound(captured, 100)
      if (whole.length <= 100) return assert.equal(shown, text)
      const [, note = '', head = '', tail = ''] = split(shown)
      assert.ok(text.startsWith(head) && text.endsWith(tail), shown)
      assert.ok(Buffer.byteLength(head) + Buffer.byteLength(tail) <= 100)
      const left = whole.subarray(Buffer.byteLength(head), whole.length - Buffer.byteLength(tail)).toString()
      const count = Number(/[\d,]+/.exec(note)?.[0].replaceAll(',', ''))
      assert.equal(count, note.includes('line') ? left.split('\n').length - 1 : Buffer.byteLength(left))
    }),
    tries(2000),
  )
})

function split(shown: string): readonly string[] {
  const match = /^(.*?)( … [\d,]+ bytes left out … |… [\d,]+ lines? \([^)]*\) left out …\n)(.*)$/s.exec(shown)
  assert.ok(match, shown)
  const [, head = '', note = '', tail = ''] = match
  return [shown, note, head, tail]
}

test('output and complaints share the room', () => {
  const ran = (stdout: string, stderr: string) =>
    settlementOfRun({ end: { kind: 'exit', code: 0 }, stdout: capturedOf(stdout), stderr: capturedOf(stderr) }).content
  assert.equal(ran('', ''), undefined)
  assert.equal(ran('a', 'b\n'), 'a\nstderr:\nb\n')
  assert.equal(ran('', 'b'), 'stderr:\nb')
  for (const [stdout, stderr] of [
    [90_000, 90_000],
    [90_000, 100],
    [100, 90_000],
  ] as const) {
    const content = ran(numbered(stdout), numbered(stderr)) ?? ''
    assert.ok(Buffer.byteLength(content) < 256 * 1024 + 200, `${content.length}`)
    assert.ok(Buffer.byteLength(content) > 255 * 1024, `${content.length}`)
    assert.ok(content.includes(`line ${stdout}\n`) && content.endsWith(`line ${stderr}\n`))
  }
})
