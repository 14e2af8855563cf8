// The styles of painted text, and the escape codes for them.
/** The style of a text: the numbers of an SGR sequence, as in `1;3`; empty for plain. */
export type Style = string

export const BOLD: Style = '1'
export const DIM: Style = '2'
export const ITALIC: Style = '3'
export const STRUCK: Style = '9'
export const CODE: Style = '36'

/** A piece of text in one style, escaped and within one line. */
export type StyledText = { readonly text: string; readonly style: Style }

export const unstyled = (text: string): StyledText => ({ text, style: '' })

/** Combines one style with another inside it. */
export const nestedStyle = (outer: Style, inner: Style): Style =>
  [...new Set([...outer.split(';'), ...inner.split(';')])].filter(each => each !== '').join(';')

/** Resets the style after every piece, so that a text that is cut anywhere leaves no color behind. */
export function dyed({ text, style }: StyledText, color: boolean): string {
  return color && style !== '' && text !== '' ? `\x1b[${style}m${text}\x1b[0m` : text
}

/** Joins neighbors that have the same style. */
export function joinedText(spans: readonly StyledText[]): readonly StyledText[] {
  const whole: { text: string; style: Style }[] = []
  for (const { text, style } of spans) {
    const last = whole.at(-1)
    if (last?.style === style) last.text += text
    else if (text !== '') whole.push({ text, style })
  }
  return whole
}
