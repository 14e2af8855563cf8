// Draws a long chat under the window that is being edited.
import { windowRules } from '../../../../src/context/window/kinds.ts'
import type { Fate } from '../../../../src/context/window/window-kind.ts'
import type { Window } from '../../../../src/model/settings/policy.ts'

/** As many messages as a phone can show side by side. */
export const DRAWN = 60

/** About what one message of a chat takes, to draw tokens as messages. */
const MESSAGE_TOKENS = 400

export const MESSAGE_STOPS: readonly number[] = [
  ...Array.from({ length: 31 }, (_, index) => index),
  ...[35, 40, 45, 50, 60, 80, 100, 150, 200, 300, 500],
]

export const TOKEN_STOPS: readonly number[] = [
  ...[500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 10_000, 12_000, 16_000, 20_000, 24_000, 32_000, 40_000, 48_000],
  ...[64_000, 80_000, 96_000, 128_000, 160_000, 200_000, 256_000, 400_000, 500_000, 1_000_000],
]

/** Message by message, the new one last. Token bounds are drawn in proportion, so that a slider moves something. */
export function pictureOf(window: Window): readonly Fate[] {
  const past = DRAWN - 1
  if (window.kind !== 'tokens' || (window.low === null && window.high === null))
    return [...windowRules(window).picture(past), 'new']
  const high = window.high ?? (window.low ?? 0) * 3
  const low = window.low ?? high / 3
  const grown = Math.min(past, Math.max(1, Math.round(high / MESSAGE_TOKENS)))
  const kept = Math.min(grown, Math.max(1, Math.round(low / MESSAGE_TOKENS)))
  const out = past - grown
  const before: readonly Fate[] = out === 0 ? [] : ['note', ...Array.from({ length: out - 1 }, () => 'out' as const)]
  return [
    ...before,
    ...Array.from({ length: grown - kept }, () => 'sometimes' as const),
    ...Array.from({ length: kept }, () => 'kept' as const),
    'new',
  ]
}
