// Styles a line of Markdown as its characters arrive.
import { type Extent, extentOf, SPECIAL } from './extent.ts'
import { decodeForTerminal } from './references.ts'
import { codeSpan, spansOf } from './spans.ts'
import type { Style, StyledText } from './style.ts'

/** Styles the text of a line character by character. It emits a span as soon as its style can no longer change. */
export type InlinePainter = { readonly write: (sign: string) => void; readonly end: () => void }

export type InlineOutput = { readonly span: (span: StyledText) => void; readonly lineBreak: () => void }

/** After this many characters without its partner a mark is shown literally. Links may be longer. */
const PATIENCE = 200
const PATIENCE_FOR_LINKS = 1000

const ADDRESS = /^https?:\/\/[^\s<>"`]*/i
const ADDRESS_BEGUN = /^h(?:t(?:t(?:ps?(?::\/?)?)?)?)?$/i
/** The characters at which a run of Markdown or an address may begin. */
const STOP = /[\\`*_~[!<&$]|(?<!\w)h/i

export function createInlinePainter(base: Style, color: boolean, heard: InlineOutput): InlinePainter {
  let held = ''
  let before = ''

  const say = (text: string, style: Style = base): void => {
    if (text === '') return
    heard.span({ text, style })
  }
  const pass = (length: number): string => {
    const passed = held.slice(0, length)
    held = held.slice(length)
    before = passed.at(-1) ?? before
    return passed
  }
  const show = (extent: Extent, isWhole: boolean): boolean => {
    switch (extent.type) {
      case 'wait':
        if (!isWhole && held.length < (/^!?\[/.test(held) ? PATIENCE_FOR_LINKS : PATIENCE)) return false
        say(pass(markLength(held)))
        return true
      case 'none':
      case 'exact':
        say(pass(extent.length))
        return true
      case 'code': {
        const raw = pass(extent.length)
        const span = codeSpan(raw, codeText(raw), base, color)
        say(span.text, span.style)
        return true
      }
      case 'character':
        say(decodeForTerminal(pass(extent.length)))
        return true
      case 'break':
        pass(extent.length)
        heard.lineBreak()
        return true
      case 'markdown':
        for (const span of spansOf(pass(extent.length), base, color)) say(span.text, span.style)
        return true
    }
  }
  const drain = (isWhole: boolean): void => {
    while (held !== '') {
      if (!SPECIAL.test(held[0] ?? '')) {
        const address = addressLength(held, before, isWhole)
        if (address === 'wait') return
        const next = held.slice(1).search(STOP)
        say(pass(address ?? (next < 0 ? held.length : next + 1)))
        continue
      }
      // Without color the marks stay, to show what the style would have shown.
      const extent = !color && /[*_~]/.test(held[0] ?? '') ? none : extentOf(held, before, isWhole)
      if (!show(extent, isWhole)) return
    }
  }
  return {
    write: sign => {
      held += sign
      drain(false)
    },
    end: () => drain(true),
  }
}

const none: Extent = { type: 'none', length: 1 }

/** A bare address is ordinary text, but characters inside it are not marks. */
function addressLength(text: string, before: string, isWhole: boolean): 'wait' | number | undefined {
  if (/\w/.test(before)) return undefined
  if (!isWhole && ADDRESS_BEGUN.test(text)) return 'wait'
  const length = ADDRESS.exec(text)?.[0].length
  return length === text.length && length < PATIENCE_FOR_LINKS && !isWhole ? 'wait' : length
}

const markLength = (text: string): number => /^(?:([`*_~$])\1*|!\[|\\.|.)/su.exec(text)?.[0].length ?? 1

/** One space at both ends only separates the code from its marks. */
function codeText(raw: string): string {
  const inner = raw.replace(/^`+|`+$/g, '')
  return /^ .*[^ ].* $/.test(inner) || /^ [^ ] $/.test(inner) ? inner.slice(1, -1) : inner
}
