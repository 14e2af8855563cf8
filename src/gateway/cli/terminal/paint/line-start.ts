// Decides what kind of Markdown line begins, from its first characters.
/** What contains a line: a quotation, or a list item with its marker. */
export type Container =
  | { readonly type: 'quote' }
  | { readonly type: 'item'; readonly indent: number; readonly content: number; readonly marker: string }

/** The kind of a line. */
export type Leaf =
  | { readonly type: 'blank' | 'rule' }
  /** The underline of a heading that is already printed. */
  | { readonly type: 'underline'; readonly length: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'heading'; readonly marks: string; readonly text: string }
  | { readonly type: 'fence'; readonly mark: string; readonly indent: number; readonly info: string }
  | { readonly type: 'row'; readonly text: string }
  /** Shown as written: raw HTML, a formula, indented code. */
  | { readonly type: 'written'; readonly kind: WrittenAs; readonly text: string }

export type WrittenAs = 'html' | 'dollars' | 'brackets' | 'code'

export type LineStart = { readonly kept: number; readonly added: readonly Container[]; readonly leaf: Leaf }

/** How deep quotes and lists may nest. Anything deeper is text. */
const DEEPEST = 12

const HTML =
  /^<(?:!--|[!?/]?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|meta|nav|ol|option|p|pre|script|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|ul|video|audio|svg|doctype)(?=[\s/>]|$))/i

/**
 * Reads the beginning of an incomplete line inside the open containers. Returns nothing while the rest of the line might change
 * its kind. Indents are read less strictly than the Markdown specification demands, because models write them loosely.
 */
export function openLine(
  line: string,
  open: readonly Container[],
  { isWhole, isParagraph }: { readonly isWhole: boolean; readonly isParagraph: boolean },
): LineStart | undefined {
  const { kept, rest } = continued(line, open)
  if (rest.trim() === '') return isWhole ? { kept, added: [], leaf: { type: 'blank' } } : undefined
  const goesOn = isParagraph && kept === open.length
  const added: Container[] = []
  let left = rest
  while (true) {
    const indent = spacesOf(left)
    const text = left.slice(indent)
    if (indent >= 4 && !isParagraph) return { kept, added, leaf: { type: 'written', kind: 'code', text: left.slice(4) } }
    if (isUndecided(text, isWhole)) return undefined
    if (isRule(text)) return { kept, added, leaf: { type: 'rule' } }
    const deeper = kept + added.length < DEEPEST ? containerAt(text, indent, goesOn && added.length === 0, isWhole) : undefined
    if (deeper === 'undecided') return undefined
    if (deeper !== undefined) {
      added.push(deeper.container)
      left = deeper.rest
      if (left.trim() !== '') continue
      return isWhole ? { kept, added, leaf: { type: 'text', text: '' } } : undefined
    }
    const leaf = leafOf(text, indent, isParagraph, isWhole)
    if (leaf === undefined) return undefined
    // A paragraph continues on the next line even if that line does not repeat its container's markers.
    return { kept: leaf.type === 'text' && isParagraph && added.length === 0 ? open.length : kept, added, leaf }
  }
}

/** How many open containers a line continues, and the rest of the line. */
export function continued(line: string, open: readonly Container[]): { readonly kept: number; readonly rest: string } {
  let rest = line
  for (const [kept, container] of open.entries()) {
    const indent = spacesOf(rest)
    if (container.type === 'quote') {
      const mark = /^ {0,3}> ?/.exec(rest)
      if (mark === null) return { kept, rest }
      rest = rest.slice(mark[0].length)
    } else if (indent === rest.length) rest = ''
    else if (indent >= container.indent + 2) rest = rest.slice(Math.min(indent, container.content))
    else return { kept, rest }
  }
  return { kept: open.length, rest }
}

const spacesOf = (text: string): number => /^ */.exec(text)?.[0].length ?? 0

const isRule = (text: string): boolean => /^([-*_])(?: *\1){2,} *$/.test(text)

/** Text that is only marks so far may become a rule, a heading, a fence, a list marker or the beginning of a tag. */
function isUndecided(text: string, isWhole: boolean): boolean {
  if (isWhole) return false
  return /^(?:([-*_])(?:\1| )*|#{1,6}|=+ *|`{1,2}|~{1,2}|\$|\\|\d{1,9}[.)]?|\+|<[!?/]?[a-z0-9]{0,10}|<!-)$/i.test(text)
}

type Deeper = { readonly container: Container; readonly rest: string }

function containerAt(text: string, indent: number, isGoingOn: boolean, isWhole: boolean): Deeper | 'undecided' | undefined {
  if (text.startsWith('>')) {
    if (text === '>' && !isWhole) return 'undecided'
    return { container: { type: 'quote' }, rest: text.replace(/^> ?/, '') }
  }
  const found = /^([-*+]|(\d{1,9})[.)])( +|$)/.exec(text)
  if (found === null) return undefined
  const [all, written = '', number, gap = ''] = found
  const rest = text.slice(all.length)
  if (rest === '' && !isWhole) return 'undecided'
  // Inside a paragraph a line may begin with a year, which is no list marker.
  if (isGoingOn && ((number !== undefined && number !== '1') || rest === '')) return undefined
  if (!isWhole && /^\[(?:[ x]\]?)?$/i.test(rest)) return 'undecided'
  const task = /^\[([ x])\](?: +|$)/i.exec(rest)
  const content = indent + written.length + (gap.length > 4 || gap === '' ? 1 : gap.length)
  const sign = number === undefined ? '•' : written
  const marker = task === null ? `${sign} ` : `${number === undefined ? '' : `${sign} `}${task[1] === ' ' ? '[ ]' : '[x]'} `
  const spare = gap.length > 4 ? gap.slice(1) : ''
  return { container: { type: 'item', indent, content, marker }, rest: task === null ? spare + rest : rest.slice(task[0].length) }
}

function leafOf(text: string, indent: number, isParagraph: boolean, isWhole: boolean): Leaf | undefined {
  const fence = /^(`{3,}|~{3,})(.*)$/.exec(text)
  if (fence !== null) {
    const [, mark = '', info = ''] = fence
    const isText = mark.startsWith('`') && info.includes('`')
    if (!isText && !isWhole && text.length < 200) return undefined
    if (!isText && isWhole) return { type: 'fence', mark, indent, info: info.trim() }
    return { type: 'text', text }
  }
  const heading = /^(#{1,6})(?: +|$)/.exec(text)
  if (heading !== null) return { type: 'heading', marks: heading[1] ?? '', text: text.slice(heading[0].length) }
  if (text.startsWith('|')) return { type: 'row', text }
  if (isParagraph)
    return isWhole && /^=+ *$/.test(text) ? { type: 'underline', length: text.trimEnd().length } : { type: 'text', text }
  if (HTML.test(text)) return { type: 'written', kind: 'html', text }
  if (text.startsWith('$$')) return { type: 'written', kind: 'dollars', text }
  if (text.startsWith('\\[')) return { type: 'written', kind: 'brackets', text }
  return { type: 'text', text }
}
