/** A stretch of a text and how it looks; offsets and lengths are in UTF-16 units, as Telegram counts them. */
export type Entity = { readonly offset: number; readonly length: number } & Look

export type Look =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'blockquote' }
  | { readonly type: 'pre'; readonly language?: string }
  | { readonly type: 'text_link'; readonly url: string }

/**
 * A text with its looks beside it. Nothing in the text has a meaning of its own, so nothing has to be escaped, and nothing that a
 * model says can break it.
 */
export type Formatted = { readonly text: string; readonly entities: readonly Entity[] }

export const plain = (text: string): Formatted => ({ text, entities: [] })

export const styled = (text: string, look: Look): Formatted => ({
  text,
  entities: text === '' ? [] : [{ ...look, offset: 0, length: text.length }],
})

export function joined(...parts: readonly Formatted[]): Formatted {
  let text = ''
  const entities: Entity[] = []
  for (const part of parts) {
    entities.push(...part.entities.map(entity => ({ ...entity, offset: entity.offset + text.length })))
    text += part.text
  }
  return { text, entities }
}

/** Writes a text run by run; a look that goes on over several runs is one entity. */
export type Writer = {
  readonly write: (text: string, looks?: readonly Look[]) => void
  /** Leaves so many line ends before what follows; nothing at the beginning. */
  readonly apart: (lines: number) => void
  readonly end: () => Formatted
}

export function createWriter(): Writer {
  let text = ''
  let waiting = 0
  /** By the very look that was given, since two links to one place side by side are still two. */
  const last = new Map<Look, { offset: number; length: number }>()
  const entities: { readonly look: Look; readonly span: { offset: number; length: number } }[] = []
  const put = (more: string, looks: readonly Look[]): void => {
    for (const look of looks) {
      const span = last.get(look)
      if (span !== undefined && span.offset + span.length === text.length) span.length += more.length
      else {
        const begun = { offset: text.length, length: more.length }
        last.set(look, begun)
        entities.push({ look, span: begun })
      }
    }
    text += more
  }
  return {
    write: (more, looks = []) => {
      if (more === '') return
      if (text !== '' && waiting > 0) put('\n'.repeat(waiting), continuing(looks))
      waiting = 0
      put(more, looks)
    },
    apart: lines => {
      waiting = Math.max(waiting, lines)
    },
    end: () => ({
      text,
      entities: entities
        .map(({ look, span }) => ({ ...look, ...span }))
        .sort((one, other) => one.offset - other.offset || other.length - one.length),
    }),
  }

  /** The empty lines inside a quote belong to it, those before its first line do not. */
  function continuing(looks: readonly Look[]): readonly Look[] {
    return looks.filter(look => {
      const span = last.get(look)
      return look.type === 'blockquote' && span !== undefined && span.offset + span.length === text.length
    })
  }
}
