// Draws a person's message.

import { memo } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { ShownFiles } from '../parts/files/shown-files.tsx'
import { usePointed } from '../parts/pointing.ts'
import { ActionBar, ActionButton } from '../reply/actions/action-bar.tsx'
import { PresenceAction } from '../reply/actions/inspect-actions.tsx'
import { LinkAction, MarkActions } from '../reply/actions/mark-actions.tsx'
import { Marked, SentInPart } from '../reply/marked.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { MessageEntry } from '../view/view.ts'
import { clockTime } from '../words/words.ts'
import { Reword } from './reword.tsx'

type MessageProps = { readonly entry: MessageEntry }

/** What a person said. */
export const MessageView: React.NamedExoticComponent<MessageProps> = memo(function Message({ entry }: MessageProps) {
  const to = useStore(state => entry.to?.map(voice => shownVoiceName(state, { voice, name: null })).join(', '))
  const isEdited = useStore(state => state.editing === entry.seq)
  const isPointed = usePointed([entry.seq])
  return (
    <article className="message" aria-label={to === undefined ? 'You' : `You, to ${to}`} data-pointed={isPointed}>
      {to !== undefined && <p className="said-to">To {to}</p>}
      {isEdited ? (
        <Reword entry={entry} />
      ) : (
        (entry.files === undefined || entry.text.trim() !== '') && <p className="bubble">{entry.text}</p>
      )}
      {entry.files !== undefined && <ShownFiles files={entry.files} />}
      <Marked mark={entry.mark} reach={entry.reach} />
      <SentInPart seqs={[entry.seq]} />
      {entry.waits === true && (
        <span className="marked" data-mark="waits" title="The next request has it, or the next turn answers it">
          Waiting to be heard
        </span>
      )}
      {!isEdited && <MessageFoot entry={entry} />}
    </article>
  )
})

function MessageFoot({ entry: { seq, at, text, mark, reach } }: MessageProps): React.ReactNode {
  const { edit } = useActions()
  const isBusy = useStore(state => state.view.running.length > 0)
  return (
    <footer className="message-foot">
      <time className="said-at" dateTime={at}>
        {clockTime(at)}
      </time>
      <ActionBar label="This message">
        {text !== '' && <CopyButton text={text} label="Copy this message" />}
        <ActionButton icon="pen" label="Edit and send again" isDisabled={isBusy} onPress={() => edit(seq)} />
        <MarkActions seqs={[seq]} mark={mark} reach={reach} isBusy={isBusy} />
        <PresenceAction seq={seq} />
        <LinkAction seq={seq} />
      </ActionBar>
    </footer>
  )
}
