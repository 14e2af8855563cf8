// Colours that advisors are told apart by, seen as people with all and with two of the three kinds of cones see them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstUnused, SPECTRUM, withColors } from '../../../src/gateway/workspace/colors.ts'

type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB. */
const SIGHTS: Readonly<Record<string, Matrix>> = {
  'all three': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** From linear sRGB to XYZ under D65. */
const XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
]

const times = (matrix: Matrix, [a, b, c]: Triple): Triple => [
  matrix[0][0] * a + matrix[0][1] * b + matrix[0][2] * c,
  matrix[1][0] * a + matrix[1][1] * b + matrix[1][2] * c,
  matrix[2][0] * a + matrix[2][1] * b + matrix[2][2] * c,
]

const each = ([a, b, c]: Triple, change: (value: number) => number): Triple => [change(a), change(b), change(c)]

function linear(color: string): Triple {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  return each([red, green, blue], value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
}

function lab(rgb: Triple): Triple {
  const [x, y, z] = times(XYZ, rgb)
  const [fx, fy, fz] = each([x / 0.95047, y, z / 1.08883], value =>
    value > 216 / 24_389 ? Math.cbrt(value) : ((24_389 / 27) * value + 16) / 116,
  )
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const seen = (color: string, sight: Matrix): Triple =>
  lab(each(times(sight, linear(color)), value => Math.min(1, Math.max(0, value))))

function apart(one: string, other: string, sight: Matrix): number {
  const [a, b] = [seen(one, sight), seen(other, sight)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

/** Pairs that are nearer than that, with the sight that confuses them. */
const confused = (colors: readonly string[], least: number): string[] =>
  colors.flatMap((one, index) =>
    colors
      .slice(index + 1)
      .flatMap(other =>
        Object.entries(SIGHTS).flatMap(([name, sight]) =>
          apart(one, other, sight) < least ? [`${one} and ${other}: ${name}`] : [],
        ),
      ),
  )

/** The nearest pair of Okabe and Ito's own eight is 16 apart in this measure. */
const FAR = 16

test('the first eight colours stay apart under protanopia, deuteranopia and tritanopia', () => {
  assert.deepEqual(confused(SPECTRUM.slice(0, 8), FAR), [])
})

test('all twelve stay apart, the later ones a little less', () => {
  assert.equal(new Set(SPECTRUM).size, 12)
  assert.deepEqual(confused(SPECTRUM, 13), [])
})

test('the measure knows pairs that people confuse', () => {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['#b94655', '#017a6d', 'protanopia'],
    ['#b94655', '#029d4e', 'deuteranopia'],
    ['#2670b4', '#468174', 'tritanopia'],
  ]
  for (const [one, other, sight] of pairs) {
    assert.deepEqual(confused([one, other], FAR), [`${one} and ${other}: ${sight}`])
  }
})

const luminance = (color: string): number => times(XYZ, linear(color))[1]

test('each is a mark that can be seen on the page, light and dark: a contrast of 3 to 1', () => {
  for (const color of SPECTRUM) {
    assert.match(color, /^#[\da-f]{6}$/)
    for (const paper of ['#ffffff', '#fbfaf8', '#1a1917', '#242220']) {
      const [dark = 0, light = 0] = [luminance(color), luminance(paper)].sort((a, b) => a - b)
      assert.ok((light + 0.05) / (dark + 0.05) >= 3, `${color} on ${paper}`)
    }
  }
})

test('the first colour that nobody has is given, and when all are taken, the one that the fewest have', () => {
  assert.equal(firstUnused([]), SPECTRUM[0])
  assert.equal(firstUnused([SPECTRUM[0] ?? '', SPECTRUM[2] ?? '']), SPECTRUM[1])
  assert.equal(firstUnused([(SPECTRUM[0] ?? '').toUpperCase(), 'teal']), SPECTRUM[1], 'letters of any size')
  assert.equal(firstUnused(SPECTRUM), SPECTRUM[0])
  assert.equal(firstUnused([...SPECTRUM, ...SPECTRUM.slice(0, 3)]), SPECTRUM[3])
  assert.equal(firstUnused([...SPECTRUM, ...SPECTRUM.slice(1)]), SPECTRUM[0])
})

test('what people chose stays, and nobody is given what another chose further down', () => {
  const given = withColors([{ name: 'a' }, { name: 'b', color: '#0a7' }, { name: 'c' }, { name: 'd', color: SPECTRUM[0] ?? '' }])
  assert.deepEqual(
    given.map(({ color }) => color),
    [SPECTRUM[1], '#0a7', SPECTRUM[2], SPECTRUM[0]],
  )
  const many = withColors(Array.from({ length: 24 }, () => ({})))
  assert.deepEqual(
    many.map(({ color }) => color),
    [...SPECTRUM, ...SPECTRUM],
  )
})
