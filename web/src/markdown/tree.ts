import type { Address } from './address.ts'

/**
 * What Markdown becomes before anything is drawn. The lists are closed, so that a text can ask for nothing else: there is
 * no place here for markup, for a style, for an attribute, or for an address that was not looked at.
 */
export type Block =
  | { readonly type: 'paragraph'; readonly inlines: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: HeadingLevel; readonly inlines: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly start: number | null; readonly items: readonly Item[] }
  | { readonly type: 'table'; readonly columns: readonly Column[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly type: 'rule' }
  | Formula
  /** Shown as it was written. */
  | { readonly type: 'plain'; readonly text: string }

/** A page has a heading of its own, and each reply has one; those within begin below. */
export type HeadingLevel = 3 | 4 | 5 | 6

/** `checked` is null where the item is no task. */
export type Item = { readonly checked: boolean | null; readonly blocks: readonly Block[] }

export type Cell = readonly Inline[]
export type Column = { readonly align: 'left' | 'center' | 'right' | null; readonly head: Cell }

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'struck'; readonly inlines: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break' }
  /** `host` is where the link goes, when its words name another place. */
  | { readonly type: 'link'; readonly href: Address; readonly host: string | null; readonly inlines: readonly Inline[] }
  /** Never loaded: what it shows, and where it would be. */
  | { readonly type: 'image'; readonly href: Address; readonly host: string; readonly alt: string }
  | Formula

/** `source` has the delimiters too, for as long as the formula cannot be set. */
export type Formula = {
  readonly type: 'formula'
  readonly tex: string
  readonly source: string
  readonly display: boolean
}
