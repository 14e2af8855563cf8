/** Makes text of models and people safe for a terminal, piece by piece; pieces may be cut anywhere. */
export type TerminalEscaper = {
  readonly write: (text: string) => string
  /** Returns the text that was held back because the next piece might have changed its meaning. */
  readonly end: () => string
}

/** Characters that are invisible, or that change how their neighbors look. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/u

/** A line end, a joiner or half a character: its meaning depends on the next character. */
const UNDECIDED = /[\r\u200c\u200d]?[\ud800-\udbff]?$/

/**
 * Drops nothing, so that a message looks like what it is. An escape becomes `␛` and the rest of its sequence stays as plain
 * text, other controls become their pictures, and invisible characters are named, like `U+200B`.
 */
export function createTerminalEscaper(): TerminalEscaper {
  let held = ''
  let before = ''
  const translate = (text: string): string => {
    const characters = [...text]
    return characters
      .map((character, index) => {
        const seen = picture(before, character, characters[index + 1] ?? '')
        before = character
        return seen
      })
      .join('')
  }
  return {
    write: text => {
      const all = held + text
      held = UNDECIDED.exec(all)?.[0] ?? ''
      return translate(all.slice(0, all.length - held.length))
    },
    end: () => {
      const rest = held
      held = ''
      return translate(rest)
    },
  }
}

/** Escapes a whole text at once. */
export function escapeForTerminal(text: string): string {
  const whole = createTerminalEscaper()
  return whole.write(text) + whole.end()
}

/** Escapes a text that must stay on its line. */
export const escapeToOneLine = (text: string): string =>
  escapeForTerminal(text.replace(/\s+/g, gap => (gap.includes('\n') ? ' ' : gap)).replaceAll('\t', ' ')).trim()

/** JSON that means the same to a program and is harmless on a terminal. */
export const jsonForTerminal = (value: unknown, indent = 0): string => escapeJsonForTerminal(JSON.stringify(value, null, indent))

/** The same for text that is already JSON, or a piece of it. */
export const escapeJsonForTerminal = (json: string): string =>
  json.replace(EVERY_UNSEEN, character => (character === '\n' ? character : escaped(character)))

const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu')

function picture(before: string, character: string, after: string): string {
  if (character === '\n' || character === '\t') return character
  if (character === '\r') return after === '\n' ? '' : '␍'
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '␡'
  if (!UNSEEN.test(character) || belongs(before, character, after)) return character
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

const PICTURE = /\p{Extended_Pictographic}/u
const JOINED = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u
/** Scripts whose spelling needs joiners. */
const JOINING =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Mong}]/u

/** Joiners and variation selectors where writing needs them: inside an emoji, a Persian word, a Han character. */
function belongs(before: string, character: string, after: string): boolean {
  if (character === '\u200d' && JOINED.test(before) && PICTURE.test(after)) return true
  if (character === '\u200d' || character === '\u200c') return JOINING.test(before) && JOINING.test(after)
  if (character === '\ufe0e' || character === '\ufe0f') return /\p{Emoji}/u.test(before)
  return /[\u{e0100}-\u{e01ef}]/u.test(character) && /\p{Script=Han}/u.test(before)
}

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
