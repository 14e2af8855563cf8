import { Lexer, type Links, type MarkedOptions, type Token, Tokenizer, type Tokens } from 'marked'

/** Quotes, lists, emphasis and links within each other; what lies deeper is text. */
export const DEEPEST = 12

/** Some rules for what stands in a line look at all that follows for each letter; a longer run than this is text. */
const LONGEST_RUN = 4000

/** A text as tokens, and its definitions of links. Raw HTML is a token like any other; nothing is ever rendered from here. */
export function boundedLex(
  rules: MarkedOptions,
  text: string,
  links: Links = {},
): { readonly tokens: readonly Token[]; readonly links: Links } {
  const lexer = new Lexer({ ...rules, tokenizer: new BoundedTokenizer() })
  Object.assign(lexer.tokens.links, links)
  const tokens = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), lexer.tokens)
  for (const run of lexer.inlineQueue) {
    lexer.state.inRawBlock = false
    if (run.src.length > LONGEST_RUN) run.tokens.push({ type: 'text', raw: run.src, text: run.src })
    else lexer.inlineTokens(run.src, run.tokens)
  }
  return { tokens, links: lexer.tokens.links }
}

/** The lexer calls itself for whatever lies within; here it stops. */
class BoundedTokenizer extends Tokenizer {
  #depth = 0

  #within<Found>(read: () => Found): Found | undefined {
    if (this.#depth >= DEEPEST) return undefined
    this.#depth += 1
    try {
      return read()
    } finally {
      this.#depth -= 1
    }
  }

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.#within(() => super.blockquote(text))
  }

  override list(text: string): Tokens.List | undefined {
    return this.#within(() => super.list(text))
  }

  override emStrong(text: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#within(() => super.emStrong(text, masked, before))
  }

  override del(text: string, masked: string, before?: string): Tokens.Del | undefined {
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
