/** Every kind of window, one line each: the only place that names them all. */
import type { Window } from '../../model/settings/policy.ts'
import { wholePast } from './all.ts'
import { growAndDrop } from './grow-and-drop.ts'
import { headTail } from './head-tail.ts'
import { last } from './last.ts'
import type { AnyWindow, WindowKind, WindowRules } from './window-kind.ts'

/** One kind for each kind of setting; the compiler names the one that is missing. */
export type WindowKinds<Setting extends AnyWindow> = {
  readonly [Kind in Setting['kind']]: WindowKind<Extract<Setting, { readonly kind: Kind }>>
}

export const WINDOW_KINDS: WindowKinds<Window> = {
  all: wholePast,
  last,
  'head-tail': headTail,
  tokens: growAndDrop,
}

/** The rules of a window, found by its kind. */
export function rulesIn<Setting extends AnyWindow>(kinds: WindowKinds<Setting>, window: Setting): WindowRules<Setting | Window> {
  // The compiler cannot see that a window and the kind found by its name belong together.
  const kind = kinds[window.kind as Setting['kind']] as unknown as WindowKind<Setting>
  return kind(window)
}

/** The rules of a window of one of our own kinds. */
export const windowRules = (window: Window): WindowRules<Window> => rulesIn(WINDOW_KINDS, window)
