// The tabs of a deck of cards.
import { Icon } from '../parts/icon.tsx'
import { VoiceDot } from '../parts/voice-dot.tsx'
import { useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import { type Card, type CardState, stateOf } from './cards.ts'

type DeckTabsProps = {
  readonly cards: readonly Card[]
  readonly current: number
  readonly onShow: (index: number) => void
}

/** Shows which card is in sight, and leads to every other; style sheets show it only if the cards are a deck. */
export function DeckTabs({ cards, current, onShow }: DeckTabsProps): React.ReactNode {
  return (
    <nav className="deck-tabs" aria-label="Advisors of this round">
      {cards.map((card, index) => (
        <Tab key={card.key} card={card} isCurrent={index === current} onShow={() => onShow(index)} />
      ))}
    </nav>
  )
}

const STATES: Readonly<Record<CardState, string | null>> = {
  running: 'is answering',
  waits: 'waits for you',
  failed: 'failed',
  stopped: 'was stopped',
  answered: null,
}

type TabProps = { readonly card: Card; readonly isCurrent: boolean; readonly onShow: () => void }

function Tab({ card, isCurrent, onShow }: TabProps): React.ReactNode {
  const { voice, stretches } = card
  const name = useStore(state => shownVoiceName(state, { voice, name: stretches[0]?.name ?? null }))
  const state = stateOf(card)
  const words = STATES[state]
  return (
    <button
      type="button"
      className="deck-tab"
      data-state={state}
      aria-current={isCurrent}
      aria-label={words === null ? name : `${name}, ${words}`}
      onClick={onShow}
    >
      <VoiceDot voice={voice} />
      {name}
      {(state === 'failed' || state === 'waits') && <Icon name={state === 'failed' ? 'alert' : 'info'} />}
    </button>
  )
}
