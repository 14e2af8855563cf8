// Typesets one formula with KaTeX; loaded with the first formula.
import katex from 'katex'
import 'katex/dist/katex.min.css'
import { isSettable, prepared } from './tex.ts'

/** Loaded with the first formula; see `use-lazily`. False where the formula cannot be set and its source stays. */
export type Typeset = (tex: string, display: boolean, place: HTMLElement) => boolean

/** A formula may be as deep and as large as this before its source is easier to read than it is. */
const DEEPEST = 150
const MOST_NODES = 20_000

export const typeset: Typeset = (tex, display, place) => {
  if (!isSettable(tex)) return false
  const { source, maxExpand } = prepared(tex)
  const holder = document.createElement('span')
  try {
    katex.render(source, holder, {
      displayMode: display,
      output: 'htmlAndMathml',
      trust: false,
      strict: 'ignore',
      // The place where it would show its own error is given a style attribute, which the page's policy refuses.
      throwOnError: true,
      maxSize: 20,
      maxExpand,
      // New each time: what one formula defines is not known to the next.
      macros: {},
    })
  } catch {
    // Not only its own errors: a formula within formulas without end runs out of stack.
    return false
  }
  if (!isReasonable(holder)) return false
  place.replaceChildren(...holder.childNodes)
  return true
}

function isReasonable(holder: HTMLElement): boolean {
  const walk = document.createTreeWalker(holder)
  let depth = 0
  let nodes = 0
  for (;;) {
    nodes += 1
    if (nodes > MOST_NODES || depth > DEEPEST) return false
    if (walk.firstChild() !== null) {
      depth += 1
      continue
    }
    while (walk.nextSibling() === null) {
      if (walk.parentNode() === null || walk.currentNode === holder) return true
      depth -= 1
    }
  }
}
