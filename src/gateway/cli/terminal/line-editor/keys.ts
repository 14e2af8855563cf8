// Turns the bytes of a terminal into keys and pastes.
/** What a person did. Keys have one name each, whichever bytes a terminal sends for them. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly name: string }

/** Bytes that are not yet a whole key, and the current paste. */
export type Decoding = { readonly held: string; readonly pasting: boolean }

export const NOTHING_HELD: Decoding = { held: '', pasting: false }

/** The most that is kept of one paste. The editor already refuses less. */
const MOST_PASTED = 4 * 1024 * 1024
const PASTE_END = '\x1b[201~'

/** Reads keys from what a terminal has sent. Sequences and pastes may be split anywhere. */
export function decode(
  { held, pasting }: Decoding,
  chunk: string,
): { readonly decoding: Decoding; readonly keys: readonly Key[] } {
  const keys: Key[] = []
  let rest = held + chunk
  let inPaste = pasting
  while (rest !== '') {
    if (inPaste) {
      const end = rest.indexOf(PASTE_END)
      // A long paste stays held until it ends. Only its size is limited.
      if (end < 0) return { decoding: { held: shortened(rest), pasting: true }, keys }
      keys.push({ type: 'paste', text: rest.slice(0, end) })
      rest = rest.slice(end + PASTE_END.length)
      inPaste = false
      continue
    }
    const [taken] = TAKEN.exec(rest) ?? []
    if (taken === undefined) return { decoding: { held: rest, pasting: false }, keys }
    rest = rest.slice(taken.length)
    if (taken === '\x1b[200~') inPaste = true
    else keys.push(...keysOf(taken))
  }
  return { decoding: { held: '', pasting: inPaste }, keys }
}

/** No more bytes came, so a held escape is the key itself. */
export const flush = ({ held, pasting }: Decoding): { readonly decoding: Decoding; readonly keys: readonly Key[] } =>
  pasting || held === ''
    ? { decoding: { held, pasting }, keys: [] }
    : { decoding: NOTHING_HELD, keys: held.replaceAll('\x1b', '') === '' ? [named('escape')] : [] }

const shortened = (text: string): string =>
  text.length > MOST_PASTED ? text.slice(0, MOST_PASTED - PASTE_END.length) + text.slice(-PASTE_END.length) : text

const named = (name: string): Key => ({ type: 'key', name })

/**
 * One whole key: text, a control, a sequence, Alt with something, or an incomplete sequence taken literally. Undefined while a
 * sequence is incomplete.
 */
const TAKEN = new RegExp(
  [
    String.raw`\P{Cc}+`,
    String.raw`(?!\x1b)\p{Cc}`,
    String.raw`\x1b\x1b?\[[ -?]*(?:[@-~]|(?=[^ -~]))`,
    String.raw`\x1b\x1b?O(?:[^\x1b]|(?=\x1b))`,
    String.raw`\x1b(?!\x1b?[[O])(?:[^\x1b]|(?=\x1b.))`,
  ]
    .map(kind => `^(?:${kind})`)
    .join('|'),
  'su',
)

const SEQUENCE = /^\p{Cc}(\p{Cc}?)([[O])([0-?]*)[ -/]*(.?)$/su

function keysOf(taken: string): readonly Key[] {
  if (!taken.startsWith('\x1b')) return /^\P{Cc}/u.test(taken) ? [{ type: 'text', text: taken }] : control(taken)
  const [, alt, kind, parameters = '', final = ''] = SEQUENCE.exec(taken) ?? []
  if (kind !== undefined) return sequence(parameters, final, alt !== '')
  if (taken === '\x1b') return [named('escape')]
  return [named(ALT[taken.slice(1)] ?? `alt-${taken.slice(1).toLowerCase()}`)]
}

const ALT: Readonly<Record<string, string>> = {
  '\r': 'newline',
  '\n': 'newline',
  '\x7f': 'word-backspace',
  '\b': 'word-backspace',
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
}

function control(character: string): readonly Key[] {
  const name = CONTROLS[character]
  if (name !== undefined) return [named(name)]
  const code = character.codePointAt(0) ?? 0
  if (code === 0 || code > 26) return []
  return [named(`ctrl-${String.fromCharCode(96 + code)}`)]
}

const FINALS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  M: 'enter',
  Z: 'shift-tab',
}
const NUMBERS: Readonly<Record<string, string>> = { 1: 'home', 3: 'delete', 4: 'end', 7: 'home', 8: 'end' }
const BY_WORD: Readonly<Record<string, string>> = {
  left: 'word-left',
  right: 'word-right',
  delete: 'word-delete',
  backspace: 'word-backspace',
}

/** A control sequence: its last character or a number names the key. The modifier value is its bits plus one. */
function sequence(parameters: string, final: string, isAlt: boolean): readonly Key[] {
  const [first = '', modifiers = '1', third = ''] = parameters.split(';')
  const [bits, event] = modifiers.split(':')
  const held = Number(bits) - 1 || 0
  // Releasing a key adds nothing.
  if (event === '3') return []
  if (final === 'u') return coded(Number.parseInt(first, 10), held)
  if (final === '~' && first === '27') return coded(Number.parseInt(third, 10), held)
  const name = final === '~' ? NUMBERS[first] : FINALS[final]
  if (name === undefined) return []
  return [named(isAlt || (held & 6) !== 0 ? (BY_WORD[name] ?? name) : name)]
}

const CODES: Readonly<Record<number, string>> = { 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' }

/** A key by its character, from terminals that report modifiers: 1 shift, 2 alt, 4 control. */
function coded(code: number, held: number): readonly Key[] {
  const name = CODES[code]
  if (name === 'enter') return [named((held & 7) === 0 ? 'enter' : 'newline')]
  if (name === 'tab') return [named((held & 1) === 0 ? 'tab' : 'shift-tab')]
  if (name !== undefined) return [named((held & 6) === 0 ? name : (BY_WORD[name] ?? name))]
  // Private-use numbers are keys like Caps Lock.
  if (!(code >= 32 && code <= 0x10ffff) || (code >= 0xe000 && code <= 0xf8ff)) return []
  const character = String.fromCodePoint(code)
  if ((held & 4) !== 0) return character === 'j' ? [named('newline')] : [named(`ctrl-${character}`)]
  if ((held & 2) !== 0) return [named(`alt-${character}`)]
  return [{ type: 'text', text: (held & 1) === 0 ? character : character.toUpperCase() }]
}
