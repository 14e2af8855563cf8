// Lexes Markdown within a bounded amount of work.
import type { Links, MarkedOptions, Token } from 'marked'
import { definitionsOf, type MarkdownPiece, splitMarkdown } from '../output/markdown-pieces.ts'
import { boundedLex, type LexBudget, workForPiece, workForText } from './bounded-lexer.ts'

/** A Markdown text as the tokens of its pieces, made within the budget for its length. */
export type LexedText = { readonly definitions: string; readonly pieces: readonly LexedPiece[] }

/** `tokens` is null if the piece is shown as it was written, because it takes too much work or the lexer fails on it. */
export type LexedPiece = MarkdownPiece & {
  readonly tokens: readonly Token[] | null
  readonly work: number
  /** True if a larger budget for the whole text would have changed nothing. */
  readonly isSettled: boolean
}

export type LexOptions = {
  /** The same text when it was shorter. Pieces that have not changed are not lexed again. */
  readonly before?: LexedText | undefined
  /** Gives the text to lex in place of the last piece, for a text that is still being written. */
  readonly mend?: ((raw: string) => string) | undefined
}

/**
 * Each piece has a budget, and all pieces together share the budget of the whole text. One paragraph that takes too much is
 * shown as it was written while the others are lexed, and many such paragraphs take little longer than a few.
 */
export function lexText(rules: MarkedOptions, text: string, { before, mend }: LexOptions = {}): LexedText {
  const pieces = splitMarkdown(text)
  const definitions = definitionsOf(pieces)
  const total = workForText(text.length)
  const known = before?.definitions === definitions ? before.pieces : []
  const links = linksOf(rules, definitions, total)
  const lexed = pieces.map(({ kind, raw: whole }, index): LexedPiece => {
    const raw = mend !== undefined && kind === 'markdown' && index === pieces.length - 1 ? mend(whole) : whole
    const old = known[index]
    const piece =
      old?.isSettled === true && old.kind === kind && old.raw === raw ? old : lexPiece(rules, { kind, raw }, links, total)
    total.left -= piece.work
    return piece
  })
  return { definitions, pieces: lexed }
}

function lexPiece(rules: MarkedOptions, piece: MarkdownPiece, links: Links, total: LexBudget): LexedPiece {
  if (piece.kind === 'plain') return { ...piece, tokens: null, work: 0, isSettled: true }
  const own = workForPiece(piece.raw.length).left
  const given = Math.max(0, Math.min(own, total.left))
  const work = { left: given }
  try {
    const { tokens } = boundedLex(rules, piece.raw, links, work)
    return { ...piece, tokens, work: given - work.left, isSettled: true }
  } catch {
    // It was too much work, or the lexer cannot handle the text. In both cases the text is still shown.
    return { ...piece, tokens: null, work: given - work.left, isSettled: work.left >= 0 || given === own }
  }
}

function linksOf(rules: MarkedOptions, definitions: string, total: LexBudget): Links {
  if (definitions === '') return {}
  const work = { left: Math.min(workForPiece(definitions.length).left, total.left) }
  const given = work.left
  try {
    return boundedLex(rules, definitions, {}, work).links
  } catch {
    return {}
  } finally {
    total.left -= given - work.left
  }
}
