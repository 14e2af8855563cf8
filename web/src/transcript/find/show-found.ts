// Highlights found words in drawn rows and scrolls to the current one.
import { foldForSearch } from '../../words/plain.ts'
import type { FoundPlace } from './find.ts'

/** How many frames a row may take until it is drawn where it belongs. */
const PATIENCE = 40
/** How far from the edge a found word is brought. */
const EDGE_PX = 96

let showing = 0

/** Marks the words in a row once it is drawn, without touching what is there, and brings the right one into sight. */
export function showFound(scroller: HTMLElement, place: FoundPlace, words: string): void {
  showing += 1
  const mine = showing
  let frames = 0
  const look = (): void => {
    if (mine !== showing) return
    frames += 1
    const row = scroller.querySelector<HTMLElement>(`.passage[data-row="${CSS.escape(place.row)}"]`)
    const ranges = row === null || !row.checkVisibility({ visibilityProperty: true }) ? [] : rangesIn(row, words)
    const here = ranges[Math.min(place.nth, ranges.length - 1)]
    if (here === undefined) {
      if (frames < PATIENCE) requestAnimationFrame(look)
      return
    }
    if ('highlights' in CSS) {
      CSS.highlights.set('found', new Highlight(...ranges))
      CSS.highlights.set('found-here', new Highlight(here))
    }
    bringIntoSight(scroller, here)
    // Rows above it may still be measured, which moves it once more.
    if (frames < PATIENCE / 2) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

export function clearFound(): void {
  showing += 1
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('found')
  CSS.highlights.delete('found-here')
}

function bringIntoSight(scroller: HTMLElement, range: Range): void {
  const word = range.getBoundingClientRect()
  const box = scroller.getBoundingClientRect()
  if (word.top < box.top + EDGE_PX / 2) scroller.scrollTop -= box.top + EDGE_PX - word.top
  else if (word.bottom > box.bottom - EDGE_PX / 2) scroller.scrollTop += word.bottom - box.bottom + EDGE_PX
}

/** Finds the words in the text of a row; they may begin in one element and end in another. */
function rangesIn(row: HTMLElement, words: string): readonly Range[] {
  const wanted = foldForSearch(words.trim())
  if (wanted === '') return []
  return [...row.querySelectorAll('.bubble, .said.spoken')].flatMap(said => {
    const nodes = textNodesIn(said)
    const text = foldForSearch(nodes.map(({ data }) => data).join(''))
    const ranges: Range[] = []
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange()
      const [from, fromOffset] = spotIn(nodes, at)
      const [to, toOffset] = spotIn(nodes, at + wanted.length)
      if (from === undefined || to === undefined) continue
      range.setStart(from, fromOffset)
      range.setEnd(to, toOffset)
      ranges.push(range)
    }
    return ranges
  })
}

function textNodesIn(element: Element): readonly Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) nodes.push(node as Text)
  return nodes
}

function spotIn(nodes: readonly Text[], offset: number): readonly [Text | undefined, number] {
  let left = offset
  for (const node of nodes) {
    if (left <= node.length) return [node, left]
    left -= node.length
  }
  return [undefined, 0]
}
