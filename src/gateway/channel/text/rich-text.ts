/** A text with its styles beside it: what the layer writes, and every channel shows in its own way. */
/** A stretch of a text and its style; offsets and lengths are in UTF-16 units. */
export type Entity = { readonly offset: number; readonly length: number } & TextStyle

export type TextStyle =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

/** No character of the text has a meaning of its own, so nothing has to be escaped, and nothing that a model says can break it. */
export type RichText = { readonly text: string; readonly entities: readonly Entity[] }

export const plain = (text: string): RichText => ({ text, entities: [] })

export const styled = (text: string, style: TextStyle): RichText => ({
  text,
  entities: text === '' ? [] : [{ ...style, offset: 0, length: text.length }],
})

export function joined(...parts: readonly RichText[]): RichText {
  let text = ''
  const entities: Entity[] = []
  for (const part of parts) {
    entities.push(...part.entities.map(entity => ({ ...entity, offset: entity.offset + text.length })))
    text += part.text
  }
  return { text, entities }
}

/** Writes a text run by run; a style that goes on over several runs is one entity. */
export type Writer = {
  readonly write: (text: string, styles?: readonly TextStyle[]) => void
  /** Leaves so many line ends before what follows; nothing at the beginning. */
  readonly apart: (lines: number) => void
  readonly end: () => RichText
}

export function createWriter(): Writer {
  let text = ''
  let waiting = 0
  /** By the very style that was given, since two links to one address side by side are still two. */
  const last = new Map<TextStyle, { offset: number; length: number }>()
  const entities: { readonly style: TextStyle; readonly span: { offset: number; length: number } }[] = []
  const put = (more: string, styles: readonly TextStyle[]): void => {
    for (const style of styles) {
      const span = last.get(style)
      if (span !== undefined && span.offset + span.length === text.length) span.length += more.length
      else {
        const begun = { offset: text.length, length: more.length }
        last.set(style, begun)
        entities.push({ style, span: begun })
      }
    }
    text += more
  }
  return {
    write: (more, styles = []) => {
      if (more === '') return
      if (text !== '' && waiting > 0) put('\n'.repeat(waiting), continuing(styles))
      waiting = 0
      put(more, styles)
    },
    apart: lines => {
      waiting = Math.max(waiting, lines)
    },
    end: () => ({
      text,
      entities: entities
        .map(({ style, span }) => ({ ...style, ...span }))
        .sort((one, other) => one.offset - other.offset || other.length - one.length),
    }),
  }

  /** The empty lines inside a quote belong to it, those before its first line do not. */
  function continuing(styles: readonly TextStyle[]): readonly TextStyle[] {
    return styles.filter(style => {
      const span = last.get(style)
      return style.type === 'blockquote' && span !== undefined && span.offset + span.length === text.length
    })
  }
}
