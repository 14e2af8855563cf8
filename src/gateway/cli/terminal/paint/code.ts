// Colors code line by line.
import { createRequire } from 'node:module'
import type { createLowlight } from 'lowlight'
import { DIM, type Style, type StyledText, unstyled } from './style.ts'

/**
 * A line is colored together with all lines before it in its block, which costs more with each line. Beyond the first limit a
 * block continues without colors, and beyond the second one the whole text does.
 */
const MOST_IN_BLOCK = 4000
const MOST_IN_TEXT = 1_500_000

/** Colors code line by line as it arrives. Printed lines never change. */
export type Colours = { readonly block: (language: string) => (line: string) => readonly StyledText[] }

const STYLES: readonly (readonly [RegExp, Style])[] = [
  [/comment|quote|meta|doctag/, DIM],
  [/keyword|selector-tag|operator/, '35'],
  [/deletion/, '31'],
  [/addition|string|regexp|char/, '32'],
  [/number|literal|symbol|bullet|link/, '33'],
  [/title|section|name|function/, '34'],
  [/type|built_in|attr|class|property|template-variable|variable/, '36'],
]

export function createColours(color: boolean): Colours {
  let looked = 0
  return {
    block: language => {
      if (!color || language === '') return line => [unstyled(line)]
      let code = ''
      let isPlain = false
      return line => {
        const from = code.length
        isPlain ||= from + line.length > MOST_IN_BLOCK || looked > MOST_IN_TEXT
        if (isPlain) return [unstyled(line)]
        code += `${line}\n`
        looked += code.length
        const colours = highlighter()
        if (!colours.registered(language)) return [unstyled(line)]
        return part(spansOf(colours.highlight(language, code).children, ''), from, from + line.length)
      }
    },
  }
}

/** Loaded with the first block of code, because most commands print none. */
let loaded: ReturnType<typeof createLowlight> | undefined
function highlighter(): ReturnType<typeof createLowlight> {
  if (loaded === undefined) {
    const lowlight: typeof import('lowlight') = createRequire(import.meta.url)('lowlight')
    loaded = lowlight.createLowlight(lowlight.common)
  }
  return loaded
}

/** The part of the highlighter's output that is used here. */
type Node = {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}

function spansOf(nodes: readonly Node[], style: Style): readonly StyledText[] {
  return nodes.flatMap(({ value, properties, children }) =>
    children === undefined ? [{ text: value ?? '', style }] : spansOf(children, styleOf(properties?.className) ?? style),
  )
}

function styleOf(names: unknown): Style | undefined {
  const name = Array.isArray(names) ? names.join(' ') : ''
  return STYLES.find(([pattern]) => pattern.test(name))?.[1]
}

/** The styled spans of one part of the code. */
function part(spans: readonly StyledText[], from: number, to: number): readonly StyledText[] {
  let at = 0
  return spans.flatMap(({ text, style }) => {
    const start = at
    at += text.length
    const shown = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    return shown === '' ? [] : [{ text: shown, style }]
  })
}
