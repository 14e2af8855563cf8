// The drawing of a policy: a long chat, message by message.
import type { Fate } from '../../../../src/context/window/window-kind.ts'

/** A long chat, message by message; a sentence beside it says the same. */
export function PolicyStrip({ fates }: { readonly fates: readonly Fate[] }): React.ReactNode {
  return (
    <div className="strip" aria-hidden="true">
      {fates.map((fate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of an example never move
        <span key={index} className="strip-cell" data-fate={fate} />
      ))}
    </div>
  )
}

const FATES: readonly (readonly [Fate, string])[] = [
  ['kept', 'sent'],
  ['sometimes', 'sent until the next drop'],
  ['note', 'a note instead'],
  ['out', 'not sent'],
  ['new', 'the new message'],
]

export function StripLegend({ messages }: { readonly messages: number }): React.ReactNode {
  return (
    <p className="strip-legend" aria-hidden="true">
      A chat of {messages} messages:
      {FATES.map(([fate, words]) => (
        <span key={fate}>
          <span className="strip-cell" data-fate={fate} />
          {words}
        </span>
      ))}
    </p>
  )
}
