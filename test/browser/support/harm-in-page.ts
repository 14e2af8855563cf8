import type { Page } from 'playwright-core'
import { FLAG } from './hostile-corpus.ts'

/** What a text has managed to be that it must not be, in words; nothing, as it should be. */
export function harmIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    ({ flag, elements, attributes }) => {
      const harm: string[] = []
      if (flag in globalThis) harm.push('a script ran')
      if (document.documentElement.scrollWidth > innerWidth) harm.push('the page is wider than the window')
      const nowhere =
        'iframe, object, embed, base, style, frame, portal, [srcdoc], [background], [formaction], [ping], [xlink\\:href]'
      for (const { outerHTML } of document.querySelectorAll(nowhere)) harm.push(outerHTML.slice(0, 200))
      if (document.querySelectorAll('script').length > document.querySelectorAll('head > script[src]').length)
        harm.push('a script')
      for (const element of document.body.querySelectorAll('*')) {
        const told = (why: string): void => void harm.push(`${why}: ${element.outerHTML.slice(0, 200)}`)
        for (const { name, value } of element.attributes) {
          if (name.startsWith('on')) told('listens')
          if (name === 'src' && !/^(?:blob:|data:image\/|\.\/)/.test(value)) told('loads')
        }
      }
      for (const box of document.querySelectorAll('.markdown')) {
        const style = getComputedStyle(box)
        if (style.overflowX !== 'clip' || style.overflowY !== 'clip') harm.push('a text is not clipped')
        for (const element of box.querySelectorAll('*')) {
          const told = (why: string): void => void harm.push(`${why}: ${element.outerHTML.slice(0, 200)}`)
          const { position } = getComputedStyle(element)
          if (position === 'fixed' || position === 'sticky') told(position)
          if (element.closest('.katex') !== null) {
            if (element.matches('a, img, [href], [id], [data-x]')) told('a formula with more than letters')
            continue
          }
          if (!new RegExp(`^(?:${elements})$`).test(element.localName)) told('an element')
          for (const { name, value } of element.attributes) {
            if (!new RegExp(`^(?:${attributes})$`).test(name)) told(`an attribute ${name}`)
            if (name === 'href' && !/^(?:https?:\/\/[^/]|mailto:[^/])/.test(value)) told('an address')
          }
        }
      }
      return harm
    },
    {
      flag: FLAG,
      elements:
        'p|h[3-6]|ul|ol|li|blockquote|hr|figure|figcaption|pre|code|span|bdi|strong|em|del|a|div|table|thead|tbody|tr|th|td|input|button|svg|path',
      attributes:
        'class|dir|href|title|target|rel|type|disabled|checked|readonly|hidden|role|tabindex|start|scope|id|viewbox|viewBox|focusable|d|aria-(?:label|labelledby|pressed|hidden)|data-(?:align|wraps|growing)',
    },
  )
}

/** Whether a finger anywhere outside the text would touch something of it. */
export function reachesOut(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.markdown')].map(box => box.getBoundingClientRect())
    const isWithin = (x: number, y: number): boolean =>
      boxes.some(box => x > box.left - 6 && x < box.right + 6 && y > box.top - 6 && y < box.bottom + 6)
    const touched: string[] = []
    for (let x = 2; x < innerWidth; x += 12) {
      for (let y = 2; y < innerHeight; y += 12) {
        if (isWithin(x, y)) continue
        const element = document.elementFromPoint(x, y)
        if (element?.closest('.markdown')) touched.push(`${x},${y}: ${element.outerHTML.slice(0, 120)}`)
      }
    }
    return touched
  })
}
