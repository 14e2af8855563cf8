// Shows the whole text of an item.
import { CopyButton } from '../../parts/copy-button.tsx'
import { JumpLink } from '../../reply/actions/jump-link.tsx'
import { sessionHash } from '../../view/route.ts'
import type { InspectedItem } from '../../wire/inspect-api.ts'
import { reasonSentence } from '../../words/reasons.ts'
import { itemWords } from './groups.ts'
import { MarkWithEffect } from './mark-with-effect.tsx'
import { SummaryLink } from './summary-name.tsx'

/** The whole text of an item, with the actions for it. */
export function ItemText({ item, voice }: { readonly item: InspectedItem; readonly voice: string }): React.ReactNode {
  const { kind, from, text, reason, chat } = item
  const isMessage = (kind === 'message' || kind === 'recall' || kind === 'current') && from !== undefined && chat === undefined
  return (
    <div className="item-text">
      <div className="item-text-head">
        <span>
          {reasonSentence(reason)} · <span className="item-code">{reason}</span>
        </span>
        {kind === 'summary' ? (
          <SummaryLink seq={from} />
        ) : (
          chat === undefined && from !== undefined && <JumpLink seq={from}>Show it</JumpLink>
        )}
        {chat !== undefined && (
          <a className="link" href={sessionHash(chat.session, from ?? null)}>
            Open “{chat.title}”
          </a>
        )}
        <CopyButton text={text} label={`Copy: ${itemWords(item)}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keys */}
      <pre tabIndex={0}>{text === '' ? 'There is no text to it.' : text}</pre>
      {isMessage && <MarkWithEffect seq={from} voice={voice} />}
    </div>
  )
}
