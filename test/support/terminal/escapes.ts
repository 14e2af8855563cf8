/** Every escape sequence in what a program wrote, by its kind; 8-bit forms count too. Nothing else in the bytes is a sequence. */
export type Escape = { readonly kind: 'CSI' | 'OSC' | 'DCS' | 'APC' | 'PM' | 'SOS' | 'ESC'; readonly body: string }

const KINDS: Readonly<Record<string, Escape['kind']>> = { '[': 'CSI', ']': 'OSC', P: 'DCS', _: 'APC', '^': 'PM', X: 'SOS' }

const EVERY = new RegExp(
  [
    String.raw`(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?)`,
    String.raw`(?:(?:\x1b[\]P_^X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?)`,
    String.raw`(?:\x1b[ -/]*[0-~]?)`,
  ].join('|'),
  'gs',
)

const EIGHT_BIT: Readonly<Record<string, string>> = {
  '\x9b': '[',
  '\x90': 'P',
  '\x98': 'X',
  '\x9d': ']',
  '\x9e': '^',
  '\x9f': '_',
}

export function escapesIn(bytes: string): readonly Escape[] {
  return [...bytes.matchAll(EVERY)].map(([whole]) => {
    const short = EIGHT_BIT[whole[0] ?? '']
    const [introducer = '', body] = short === undefined ? [whole[1], whole.slice(2)] : [short, whole.slice(1)]
    const kind = KINDS[introducer]
    if (kind === undefined) return { kind: 'ESC', body: whole.slice(1) }
    return { kind, body: kind === 'CSI' ? body : body.replace(/(?:\p{Cc}|\p{Cc}\\)$/u, '') }
  })
}
