// Names shortcuts as this platform writes them.
import { keysOf, type ShortcutAction } from './keys.ts'

/** Whether ⌘ is the key that others call Ctrl. */
export const APPLE: boolean = /Mac|iPhone|iPad/.test(navigator.platform)

/** A shortcut in one word, for a title. */
export const keyHint = (action: ShortcutAction): string => keysOf(action, APPLE).join(APPLE ? '' : '+')
