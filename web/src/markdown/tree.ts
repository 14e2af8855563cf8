// The closed list of nodes that Markdown becomes before it is drawn.
import type { AllowedAddress } from './address.ts'

/**
 * What Markdown becomes before anything is drawn. The lists are closed, so that a text can ask for nothing else: there is
 * no place here for markup, for a style, for an attribute, or for an address that was not looked at.
 */
export type MarkdownBlock =
  | { readonly type: 'paragraph'; readonly inlines: readonly MarkdownInline[] }
  | { readonly type: 'heading'; readonly level: HeadingLevel; readonly inlines: readonly MarkdownInline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | { readonly type: 'list'; readonly start: number | null; readonly items: readonly ListItemNode[] }
  | { readonly type: 'table'; readonly columns: readonly TableColumn[]; readonly rows: readonly (readonly TableCell[])[] }
  | { readonly type: 'rule' }
  | FormulaNode
  /** Shown as it was written. */
  | { readonly type: 'plain'; readonly text: string }

/** A page has a heading of its own, and each reply has one; those within begin below. */
export type HeadingLevel = 3 | 4 | 5 | 6

/** `checked` is null where the item is no task. */
export type ListItemNode = { readonly checked: boolean | null; readonly blocks: readonly MarkdownBlock[] }

export type TableCell = readonly MarkdownInline[]
export type TableColumn = { readonly align: 'left' | 'center' | 'right' | null; readonly head: TableCell }

export type MarkdownInline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'struck'; readonly inlines: readonly MarkdownInline[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break' }
  /** `host` is where the link goes, when its words name another place. */
  | {
      readonly type: 'link'
      readonly href: AllowedAddress
      readonly host: string | null
      readonly inlines: readonly MarkdownInline[]
    }
  /** Never loaded: what it shows, and where it would be. */
  | { readonly type: 'image'; readonly href: AllowedAddress; readonly host: string; readonly alt: string }
  | FormulaNode

/** `source` has the delimiters too, for as long as the formula cannot be set. */
export type FormulaNode = {
  readonly type: 'formula'
  readonly tex: string
  readonly source: string
  readonly display: boolean
}
