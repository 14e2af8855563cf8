// Whether a key press sends the message.
import type { PageSettings } from '../store/settings.ts'

type Press = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'isComposing' | 'keyCode'>

/** A keyboard on glass has no Shift+Enter, so there Enter makes a line and the button sends. */
export const TOUCH = '(pointer: coarse)'

/** Whether a key sends what is written, by what the person chose. Enter that only chooses a word never does. */
export function isSending(press: Press, by: PageSettings['send'], isTouch: boolean): boolean {
  // 229 is how Safari says that Enter only chose a word.
  if (press.key !== 'Enter' || press.shiftKey || press.isComposing || press.keyCode === 229) return false
  const isModified = press.ctrlKey || press.metaKey
  return isModified || (by === 'enter' && !isTouch)
}
