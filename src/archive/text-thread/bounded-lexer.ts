// A Markdown lexer that stops when its work is used up.
import { Lexer, type Links, type MarkedOptions, type Token, Tokenizer, type Tokens } from 'marked'

/** Quotes, lists, emphasis and links within each other; what lies deeper is text. */
export const DEEPEST_MARKDOWN = 12

/** Some rules for what stands in a line look at all that follows for each letter; a longer run than this is text. */
const LONGEST_RUN = 4000

/**
 * How much may still be done for a text. The lexer matches the rest of its text again for every token, so texts that are made
 * for it take the square of their length. What it does is counted in letters that it may look at: an ordinary text takes
 * about twenty-five for each of its own. It is a count and not a clock, so that a text looks the same on every machine.
 */
export type LexBudget = { left: number }

/** What a text of this length is given: some hundredths of a second, and never much more than a tenth. */
export const workForText = (length: number): LexBudget => ({ left: Math.min(12_000_000, 1_500_000 + 48 * length) })

/** What one piece of it is given, so that a piece that takes too much leaves enough for the others. */
export const workForPiece = (length: number): LexBudget => ({ left: Math.min(6_000_000, 400_000 + 48 * length) })

/** More was to be done for a text than it is given; it is shown as it is. */
export class TooMuchWork extends Error {}

/**
 * A text as tokens, and its definitions of links. Raw HTML is a token like any other; nothing is ever rendered from here.
 * Throws `TooMuchWork` where the text takes more than it is given.
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

/** Each step has a price even where little is left to look at. */
const STEP = 300
/** For a star or an underscore all that follows is matched several times, letter by letter. */
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

  /** Before its first token a run is searched for links, code and tags, from each of their first signs on. */
  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    spend(this.#work, (1 + countOf(text, /[[`<\\]/g)) * text.length)
    return super.inlineTokens(text, tokens)
  }
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** The lexer calls itself for whatever lies within; here it stops. */
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

  /** What the lexer tries first, whenever a block may begin. */
  override space(text: string): Tokens.Space | undefined {
    spend(this.#work, text.length + STEP)
    return super.space(text)
  }

  /** What it tries first, whenever something in a line may begin. */
  override escape(text: string): Tokens.Escape | undefined {
    spend(this.#work, text.length + STEP)
    return super.escape(text)
  }

  /** Behind every line that leaves out its mark, all lines that follow are taken apart and put together again. */
  override blockquote(text: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(text)) return undefined
    spend(this.#work, countOf(text, /^ {0,3}>[^\n]*\n(?! {0,3}>)/gm) * countOf(text, /\n/g))
    return this.#within(() => super.blockquote(text))
  }

  /** Its items are taken apart line by line before any of them is read. */
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

  /** A footnote looks like the definition of a link, and would not be shown at all. */
  override def(text: string): Tokens.Def | undefined {
    return /^ {0,3}\[\^/.test(text) ? undefined : super.def(text)
  }
}
