// The answers of a round side by side, or as a deck on a phone.
import { useMemo } from 'react'
import { useActions, useStore } from '../store/use-store.ts'
import { openCouncil } from '../view/called.ts'
import type { ReplyEntry } from '../view/view.ts'
import { cardsOf } from './cards.ts'
import { DeckTabs } from './deck-tabs.tsx'
import { gatheringOf, gatheringWords, sharedGathering } from './gathering.ts'
import { RoundCard } from './round-card.tsx'
import { useDeck } from './use-deck.ts'

/**
 * What the advisors of a council said to one message, side by side in the order of the council; on a phone a deck that is
 * swiped, with their names above it.
 */
export function RoundGrid({ replies }: { readonly replies: readonly ReplyEntry[] }): React.ReactNode {
  const { get } = useActions()
  const council = useStore(openCouncil)
  const order = useMemo(() => council?.advisors.map(({ id }) => id) ?? [], [council])
  const cards = cardsOf(replies, order)
  const deck = useDeck(cards.length)
  const { entries } = get().view
  const gatherings = cards.map(({ stretches: [first] }) => (first === undefined ? null : gatheringOf(entries, first, council)))
  const shared = sharedGathering(gatherings)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys belong to the deck as a whole, as swiping does
    <div className="round" data-cards={Math.min(cards.length, 3)} onKeyDown={deck.onKeyDown}>
      {cards.length > 1 && <DeckTabs cards={cards} current={deck.current} onShow={deck.show} />}
      {shared !== null && <p className="gathering">{gatheringWords(shared)}</p>}
      <div className="deck" ref={deck.ref} onScroll={deck.onScroll}>
        {cards.map((card, index) => (
          <RoundCard key={card.key} card={card} gathering={shared === null ? (gatherings[index] ?? null) : null} />
        ))}
      </div>
    </div>
  )
}
