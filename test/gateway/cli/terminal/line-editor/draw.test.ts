import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { draw, drawAbove, redraw } from '../../../../../src/gateway/cli/terminal/line-editor/draw.ts'
import {
  drawFrame,
  type EditorView,
  inputRows,
  NO_FRAME,
  type ScreenFrame,
  type ScreenSize,
} from '../../../../../src/gateway/cli/terminal/line-editor/frame.ts'
import { emptyState } from '../../../../../src/gateway/cli/terminal/line-editor/state.ts'
import { styledWidth } from '../../../../../src/gateway/cli/terminal/line-editor/styled.ts'
import { openScreen, type TestScreen } from '../../../../support/terminal/screen.ts'
import { tries } from '../../../../support/tries.ts'
import { typed } from './typing.ts'

const PROMPT = '\x1b[36mAda\x1b[0m › '

/** What a person might type: words, wide and joined signs, marks, line ends, tabs, and keys that move and delete. */
const strokes = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          'a',
          'word',
          ' ',
          'é',
          'e\u0301',
          '日',
          '本語',
          '👍🏽',
          '👩‍👧',
          '🇩🇪',
          '❤\ufe0f',
          'ﬀ',
          '\u200b',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('\n', '\x1b[200~\tx\x1b[2J\x1b[201~', 'a long stretch of words that has to be wrapped'),
      },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '\x1b[A',
          '\x1b[B',
          '\x1b[C',
          '\x1b[D',
          '\x7f',
          '\x17',
          '\x01',
          '\x05',
          '\x0b',
          '\x19',
          '\x12',
          '\t',
        ),
      },
    ),
    { maxLength: 60 },
  )
  .map(all => all.join(''))

const choices = ['one', 'other', 'zwölf'] as const
const complete = (_: string, cursor: number) => ({ from: cursor, choices })

const written = (screen: TestScreen, text: string): Promise<void> => new Promise(resolve => screen.write(text, resolve))
const seen = (frame: ScreenFrame): readonly string[] => {
  const rows = frame.rows.map(row => row.replace(/\p{Cc}\[\d*m/gu, '').trimEnd())
  return rows.slice(0, rows.findLastIndex(row => row !== '') + 1)
}
const view = (bytes: string, width: number, others: Omit<EditorView, 'input'> = {}): EditorView => ({
  ...others,
  input: { prompt: PROMPT, state: typed(bytes, { width, complete, history: ['earlier words'] }).state },
})

test('whatever is typed, the screen shows it with the cursor in its place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(strokes, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 60 }),
      async (texts, columns) => {
        const size: ScreenSize = { columns, rows: 16 }
        const screen = openScreen(size.columns, size.rows)
        let frame = NO_FRAME
        for (const bytes of texts) {
          const shown = view(bytes, columns - 7, { footer: 'footer', live: 'live' })
          const next = drawFrame(shown, size)
          await written(screen, draw(frame, next))
          frame = next
          assert.deepEqual(screen.rows(), seen(frame))
          assert.deepEqual(screen.cursor(), frame.cursor)
          assert.ok(frame.rows.length <= size.rows)
          assert.ok(frame.rows.every(row => styledWidth(row) < columns))
        }
        screen.close()
      },
    ),
    tries(150),
  )
})

test('what is printed above stays, in order, and the input is below it', async () => {
  await fc.assert(
    fc.asyncProperty(
      strokes,
      fc.array(fc.string({ maxLength: 70, unit: fc.constantFrom('a', 'b', ' c', '日') }), { maxLength: 12 }),
      async (bytes, lines) => {
        const size: ScreenSize = { columns: 30, rows: 14 }
        const screen = openScreen(size.columns, size.rows)
        let frame = drawFrame(view(bytes, 23, { footer: 'footer' }), size)
        await written(screen, draw(NO_FRAME, frame))
        for (const [index, line] of lines.entries()) {
          const next = drawFrame(
            view(bytes, 23, { footer: 'footer', ...(index % 2 === 0 ? { live: `live ${index}` } : {}) }),
            size,
          )
          await written(screen, drawAbove(frame, `${index}${line}\n`, next))
          frame = next
        }
        const all = screen.all().join('').replaceAll(' ', '')
        const above = lines
          .map((line, index) => `${index}${line}`)
          .join('')
          .replaceAll(' ', '')
        assert.equal(all, above + seen(frame).join('').replaceAll(' ', ''))
        screen.close()
      },
    ),
    tries(100),
  )
})

test('the rows of a text have every sign of it, and a hostile one only in pictures', () => {
  const text = 'a\u202eb\u200bc\td \x07 é'
  const rows = inputRows(text, '> ', 20)
  assert.equal(rows.map(row => row.slice(2)).join(''), 'aU+202EbU+200Bc    d ␇ é')
  assert.ok(rows.every((row, index) => row.startsWith(index === 0 ? '> ' : '  ')))
})

test('a text taller than the screen shows the rows around the cursor', () => {
  const text = Array.from({ length: 40 }, (_, index) => `row ${index}`).join('\n')
  const state = { ...emptyState([]), text, cursor: text.indexOf('row 20') }
  const { rows, cursor } = drawFrame({ input: { prompt: '> ', state }, footer: 'f', live: 'l' }, { columns: 40, rows: 8 })
  assert.equal(rows.length, 8)
  assert.equal(rows[cursor.row], '  row 20')
  assert.equal(rows.at(-1), 'f')
})

test('a narrower terminal has wrapped our rows, and all of them are found again', async () => {
  const screen = openScreen(60, 12)
  const shown = view('some words that are as long as a row of this screen is', 53, {
    footer: 'a short footer',
    live: 'x'.repeat(50),
  })
  const before = drawFrame(shown, { columns: 60, rows: 12 })
  await written(screen, drawAbove(NO_FRAME, 'printed before', before))
  for (const columns of [24, 80]) {
    screen.resize(columns, 12)
    const after = drawFrame(shown, { columns, rows: 12 })
    await written(screen, redraw(columns === 24 ? before : drawFrame(shown, { columns: 24, rows: 12 }), columns, after))
    assert.deepEqual(screen.rows(), ['printed before', ...seen(after)])
    assert.deepEqual(screen.cursor(), { ...after.cursor, row: after.cursor.row + 1 })
  }
  screen.close()
})

test('a change writes only the rows that differ', () => {
  const size: ScreenSize = { columns: 40, rows: 12 }
  const before = drawFrame(view('one\ntwo', 33, { footer: 'footer' }), size)
  const after = drawFrame(view('one\ntwo!', 33, { footer: 'footer' }), size)
  assert.equal(draw(before, before), '')
  assert.equal(draw(before, after), '\r      two!\x1b[K\r\x1b[10C')
})
