/**
 * Measures the run of inline Markdown at the beginning of a text: its length in characters, `wait` if that depends on what
 * follows, or `none` if no run begins there. The lexer decides what a run means.
 */
export type Extent =
  | { readonly type: 'wait' }
  | { readonly type: 'none'; readonly length: number }
  | { readonly type: 'markdown' | 'exact' | 'code' | 'character' | 'break'; readonly length: number }

const WAIT: Extent = { type: 'wait' }
const none = (length: number): Extent => ({ type: 'none', length })
const PUNCTUATION = /[!-/:-@[-`{-~]/
const WORD = /[\p{L}\p{N}]/u

/** The characters with which a run may begin. */
export const SPECIAL: RegExp = /[\\`*_~[!<&$]/

export function extentOf(text: string, before: string, isWhole: boolean): Extent {
  switch (text[0]) {
    case '\\':
      return escapeExtent(text, isWhole)
    case '`':
      return codeExtent(text, isWhole)
    case '*':
    case '_':
    case '~':
      return emphasisExtent(text, before, isWhole)
    case '!':
      if (text.length === 1) return isWhole ? none(1) : WAIT
      return text[1] === '[' ? linkExtent(text, 1, isWhole) : none(1)
    case '[':
      return linkExtent(text, 0, isWhole)
    case '<':
      return angleExtent(text, isWhole)
    case '&':
      return patternExtent(text, isWhole, /^&#?\w{1,8};/, /^&#?\w{0,8}$/, 'character')
    case '$':
      return formulaExtent(text, isWhole)
    default:
      return none(1)
  }
}

function patternExtent(text: string, isWhole: boolean, whole: RegExp, begun: RegExp, type: 'character' | 'markdown'): Extent {
  const found = whole.exec(text)
  if (found !== null) return { type, length: found[0].length }
  return !isWhole && begun.test(text) ? WAIT : none(1)
}

/** Formulas are shown as written. After a backslash, any other punctuation is literal. */
function escapeExtent(text: string, isWhole: boolean): Extent {
  const next = text[1]
  if (next === undefined) return isWhole ? none(1) : WAIT
  if (next !== '(' && next !== '[') return PUNCTUATION.test(next) ? { type: 'markdown', length: 2 } : none(1)
  const end = text.indexOf(next === '(' ? '\\)' : '\\]', 2)
  if (end >= 0) return { type: 'exact', length: end + 2 }
  return isWhole ? none(2) : WAIT
}

const runAt = (text: string, at: number): number => {
  let end = at
  while (end < text.length && text[end] === text[at]) end += 1
  return end - at
}

function codeExtent(text: string, isWhole: boolean): Extent {
  const mark = runAt(text, 0)
  if (mark === text.length) return isWhole ? none(mark) : WAIT
  for (let at = text.indexOf('`', mark); at >= 0; ) {
    const run = runAt(text, at)
    if (at + run === text.length && !isWhole) return WAIT
    if (run === mark) return { type: 'code', length: at + run }
    at = text.indexOf('`', at + run)
  }
  return isWhole ? none(mark) : WAIT
}

/** Marks open and close each other in order, each kind separately. The run ends when none is open. */
function emphasisExtent(text: string, before: string, isWhole: boolean): Extent {
  const mark = runAt(text, 0)
  if (mark === text.length) return isWhole ? none(mark) : WAIT
  const opens = /\S/.test(text[mark] ?? ' ') && !(text[0] === '_' && WORD.test(before)) && (text[0] !== '~' || mark === 2)
  if (!opens || mark > 3) return none(mark)
  const open: { sign: string; count: number }[] = [{ sign: text[0] ?? '', count: mark }]
  for (let at = mark; at < text.length; ) {
    const sign = text[at] ?? ''
    if (sign === '\\') {
      at += 2
    } else if (sign === '`') {
      const code = codeExtent(text.slice(at), isWhole)
      at += code.type === 'wait' ? text.length : code.length
    } else if (sign === '*' || sign === '_' || sign === '~') {
      let count = runAt(text, at)
      if (at + count === text.length && !isWhole) return WAIT
      const [previous, next] = [text[at - 1] ?? ' ', text[at + count] ?? ' ']
      const closes = /\S/.test(previous) && !(sign === '_' && WORD.test(next))
      const begins = /\S/.test(next) && !(sign === '_' && WORD.test(previous))
      at += count
      for (let top = open.at(-1); closes && count > 0 && top?.sign === sign; top = open.at(-1)) {
        const taken = Math.min(count, top.count)
        count -= taken
        top.count -= taken
        if (top.count === 0) open.pop()
        if (open.length === 0) return { type: 'markdown', length: at - count }
      }
      if (begins && count > 0) open.push({ sign, count })
    } else {
      at += 1
    }
  }
  return isWhole ? none(mark) : WAIT
}

/** A link or an image: words in brackets followed by an address. */
function linkExtent(text: string, from: number, isWhole: boolean): Extent {
  const words = closedAt(text, from, '[', ']')
  if (words === undefined) return isWhole ? none(from + 1) : WAIT
  if (words === text.length) return isWhole ? none(from + 1) : WAIT
  if (text[words] !== '(') return none(from + 1)
  const address = closedAt(text, words, '(', ')')
  if (address !== undefined) return { type: 'markdown', length: address }
  return isWhole ? none(from + 1) : WAIT
}

/** The position after the bracket that closes the one at `from`. */
function closedAt(text: string, from: number, opening: string, closing: string): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === opening) depth += 1
    else if (text[at] === closing) depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}

function angleExtent(text: string, isWhole: boolean): Extent {
  const line = /^<br ?\/?>/i.exec(text)
  if (line !== null) return { type: 'break', length: line[0].length }
  if (!isWhole && /^<b?r? ?\/?$/i.test(text)) return WAIT
  const scheme = /^<(?:h(?:t(?:t(?:p(?:s?(?::[^\s<>]*)?)?)?)?)?|m(?:a(?:i(?:l(?:t(?:o(?::[^\s<>]*)?)?)?)?)?)?)$/i
  return patternExtent(text, isWhole, /^<(?:https?:\/\/|mailto:)[^\s<>]+>/i, scheme, 'markdown')
}

/** Between dollar signs nothing is Markdown. An amount of money opens no formula. */
function formulaExtent(text: string, isWhole: boolean): Extent {
  const mark = runAt(text, 0)
  if (mark === text.length) return isWhole ? none(mark) : WAIT
  if (mark > 2 || /[\s\d]/.test(text[mark] ?? ' ')) return none(mark)
  for (let at = text.indexOf('$', mark); at >= 0; ) {
    const run = runAt(text, at)
    if (at + run === text.length && !isWhole) return WAIT
    if (run === mark && /\S/.test(text[at - 1] ?? ' ') && !/\d/.test(text[at + run] ?? ''))
      return { type: 'exact', length: at + run }
    at = text.indexOf('$', at + run)
  }
  return isWhole ? none(mark) : WAIT
}
