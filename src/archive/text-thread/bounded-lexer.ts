// A Markdown lexer that stops when its work is used up.
import { Lexer, type Links, type MarkedOptions, type Token, Tokenizer, type Tokens } from 'marked'

/** How deep quotes, lists, emphasis and links may nest. Anything deeper is plain text. */
export const DEEPEST_MARKDOWN = 12

/** Some inline rules look at the whole rest of the run for each letter, so a run longer than this is plain text. */
const LONGEST_RUN = 4000

/**
 * How much work may still be done for a text. The lexer matches the rest of its text again for every token, so a hostile text
 * takes time with the square of its length. The unit is one letter that the lexer may look at: an ordinary text takes about
 * twenty-five for each of its letters. It is a count and not a clock, so that a text looks the same on every machine.
 */
export type LexBudget = { left: number }

/** The budget for a text of this length: some hundredths of a second, and never much more than a tenth. */
export const workForText = (length: number): LexBudget => ({ left: Math.min(12_000_000, 1_500_000 + 48 * length) })

/** The budget for one piece of a text, so that a piece that takes too much leaves enough for the others. */
export const workForPiece = (length: number): LexBudget => ({ left: Math.min(6_000_000, 400_000 + 48 * length) })

/** A text needed more work than its budget allows. The caller shows it as it was written. */
export class TooMuchWork extends Error {}

/**
 * Lexes a text into tokens, with its link definitions. Raw HTML is a token like any other; nothing is rendered here. Throws
 * `TooMuchWork` if the text needs more than its budget.
 */
export function boundedLex(
  rules: MarkedOptions,
  text: string,
  links: Links,
  work: LexBudget,
): { readonly tokens: readonly Token[]; readonly links: Links } {
  const lexer = new BoundedLexer({ ...rules, tokenizer: new BoundedTokenizer(work) }, work)
  Object.assign(lexer.tokens.links, links)
  const tokens = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), lexer.tokens)
  for (const run of lexer.inlineQueue) {
    lexer.state.inRawBlock = false
    if (run.src.length > LONGEST_RUN) run.tokens.push({ type: 'text', raw: run.src, text: run.src })
    else lexer.inlineTokens(run.src, run.tokens)
  }
  return { tokens, links: lexer.tokens.links }
}

/** What each step costs, even if little text is left to look at. */
const STEP = 300
/** A star or an underscore costs more, because the lexer matches all that follows several times, letter by letter. */
const EMPHASIS = 8

function spend(work: LexBudget, units: number): void {
  work.left -= units
  if (work.left < 0) throw new TooMuchWork('the text takes too much work')
}

class BoundedLexer extends Lexer {
  readonly #work: LexBudget

  constructor(options: MarkedOptions, work: LexBudget) {
    super(options)
    this.#work = work
  }

  /** Before the first token of a run, the lexer searches it for links, code and tags. */
  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    spend(this.#work, (1 + countOf(text, /[[`<\\]/g)) * text.length)
    return super.inlineTokens(text, tokens)
  }
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Stops the lexer, which calls itself for nested content, at the deepest level. */
class BoundedTokenizer extends Tokenizer {
  readonly #work: LexBudget
  #depth = 0

  constructor(work: LexBudget) {
    super()
    this.#work = work
  }

  #within<Found>(read: () => Found): Found | undefined {
    if (this.#depth >= DEEPEST_MARKDOWN) return undefined
    this.#depth += 1
    try {
      return read()
    } finally {
      this.#depth -= 1
    }
  }

  /** The lexer tries this rule first wherever a block may begin. */
  override space(text: string): Tokens.Space | undefined {
    spend(this.#work, text.length + STEP)
    return super.space(text)
  }

  /** The lexer tries this rule first wherever inline content may begin. */
  override escape(text: string): Tokens.Escape | undefined {
    spend(this.#work, text.length + STEP)
    return super.escape(text)
  }

  /** After each line without a `>`, the lexer splits and joins all following lines again. */
  override blockquote(text: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(text)) return undefined
    spend(this.#work, countOf(text, /^ {0,3}>[^\n]*\n(?! {0,3}>)/gm) * countOf(text, /\n/g))
    return this.#within(() => super.blockquote(text))
  }

  /** The lexer splits the items line by line before it reads any of them. */
  override list(text: string): Tokens.List | undefined {
    if (!/^ {0,3}(?:[*+-]|\d{1,9}[.)])/.test(text)) return undefined
    spend(this.#work, STEP * countOf(text, /\n/g))
    return this.#within(() => super.list(text))
  }

  override emStrong(text: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (text[0] !== '*' && text[0] !== '_') return undefined
    spend(this.#work, EMPHASIS * text.length)
    return this.#within(() => super.emStrong(text, masked, before))
  }

  override del(text: string, masked: string, before?: string): Tokens.Del | undefined {
    if (text[0] !== '~') return undefined
    spend(this.#work, EMPHASIS * text.length)
    return this.#within(() => super.del(text, masked, before))
  }

  override link(text: string): Tokens.Link | Tokens.Image | undefined {
    return this.#within(() => super.link(text))
  }

  override reflink(text: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#within(() => super.reflink(text, links))
  }

  /** A footnote looks like a link definition, and would not be shown at all. */
  override def(text: string): Tokens.Def | undefined {
    return /^ {0,3}\[\^/.test(text) ? undefined : super.def(text)
  }
}
