// The keyboard shortcuts of the page, and which action a key press means.

/** What keys can ask for. */
export type ShortcutAction =
  | 'new-chat'
  | 'palette'
  | 'search'
  | 'find'
  | 'focus-message'
  | 'previous-chat'
  | 'next-chat'
  | 'rename'
  | 'toggle-sidebar'
  | 'stop'
  | 'edit-last'
  | 'copy-reply'
  | 'inspect'
  | 'inspect-here'
  | 'theme'
  | 'undo'
  | 'shortcuts'

/** Keys pressed together. `main` is ⌘ on machines of Apple and Ctrl elsewhere. */
export type Chord = { readonly key: string; readonly main?: true; readonly shift?: true; readonly alt?: true }

export type Shortcut = {
  readonly action: ShortcutAction
  readonly words: string
  readonly chords: readonly Chord[]
  /** Heard where it belongs, as in the message box; listed here with the others. */
  readonly elsewhere?: true
  /** Left to a field while the person writes in it, with any modifier keys. */
  readonly notInFields?: true
}

/** Every shortcut there is: what is pressed, what is listed and what the palette shows come from here. */
export const SHORTCUTS: readonly Shortcut[] = [
  { action: 'new-chat', words: 'New conversation', chords: [{ key: 'o', main: true, shift: true }] },
  { action: 'palette', words: 'Find anything, do anything', chords: [{ key: 'k', main: true }] },
  { action: 'search', words: 'Search all messages', chords: [{ key: 'f', main: true, shift: true }] },
  { action: 'find', words: 'Find in this conversation', chords: [{ key: 'f', main: true }], elsewhere: true },
  { action: 'focus-message', words: 'Go to the message box', chords: [{ key: '/' }] },
  { action: 'previous-chat', words: 'Previous conversation', chords: [{ key: 'ArrowUp', alt: true }] },
  { action: 'next-chat', words: 'Next conversation', chords: [{ key: 'ArrowDown', alt: true }] },
  { action: 'rename', words: 'Rename the conversation', chords: [{ key: 'F2' }] },
  { action: 'copy-reply', words: 'Copy the last reply', chords: [{ key: 'c', main: true, shift: true }] },
  { action: 'inspect', words: 'Inspect the last reply', chords: [{ key: 'i', main: true }] },
  { action: 'inspect-here', words: 'Inspect the reply one is in', chords: [{ key: 'i' }], elsewhere: true },
  { action: 'edit-last', words: 'Edit the last message, from an empty box', chords: [{ key: 'ArrowUp' }], elsewhere: true },
  { action: 'stop', words: 'Stop what is being written', chords: [{ key: 'Escape' }] },
  { action: 'undo', words: 'Undo what was just done to a conversation', chords: [{ key: 'z', main: true }], notInFields: true },
  { action: 'toggle-sidebar', words: 'Show or hide the sidebar', chords: [{ key: 'b', main: true }] },
  { action: 'theme', words: 'Light or dark', chords: [{ key: 'l', main: true, shift: true }] },
  { action: 'shortcuts', words: 'This list', chords: [{ key: '?' }] },
]

/** The parts of a key press that matter here. */
export type KeyPress = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
  /** A word is being chosen from a list of the keyboard's own. */
  readonly isComposing: boolean
}

/** Where it was pressed. */
export type Where = { readonly apple: boolean; readonly inField: boolean }

/** The action that a press asks for; null if the press is not for the page. */
export function actionOf(press: KeyPress, where: Where): ShortcutAction | null {
  if (press.isComposing) return null
  const wanted = SHORTCUTS.find(({ chords, elsewhere, notInFields }) => {
    if (elsewhere === true || (where.inField && notInFields === true)) return false
    return chords.some(chord => isPressed(chord, press, where))
  })
  return wanted?.action ?? null
}

function isPressed(chord: Chord, press: KeyPress, { apple, inField }: Where): boolean {
  const main = apple ? press.metaKey : press.ctrlKey
  const other = apple ? press.ctrlKey : press.metaKey
  // A sign such as ? is found with Shift on one keyboard and without on another.
  const isSign = chord.key.length === 1 && !/[a-z]/.test(chord.key)
  if (inField && isSign) return false
  if (press.key.toLowerCase() !== chord.key.toLowerCase() || other || main !== (chord.main ?? false)) return false
  return press.altKey === (chord.alt ?? false) && (isSign || press.shiftKey === (chord.shift ?? false))
}

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }

/** The keys of a chord as they are written on them. */
export function chordWords({ key, main, shift, alt }: Chord, apple: boolean): readonly string[] {
  const named = NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  return [
    ...(main === true ? [apple ? '⌘' : 'Ctrl'] : []),
    ...(alt === true ? [apple ? '⌥' : 'Alt'] : []),
    ...(shift === true ? [apple ? '⇧' : 'Shift'] : []),
    named,
  ]
}

/** The first key combination of an action, in words; empty if there is none. */
export const keysOf = (action: ShortcutAction, apple: boolean): readonly string[] => {
  const chord = SHORTCUTS.find(shortcut => shortcut.action === action)?.chords[0]
  return chord === undefined ? [] : chordWords(chord, apple)
}
