import { memo } from 'react'
import { nameOf } from '../called.ts'
import { useStore } from '../use-store.ts'
import type { FileChip, MessageEntry } from '../view.ts'
import { clockTime } from '../words.ts'
import { Marked } from './marked.tsx'

type MessageProps = { readonly entry: MessageEntry }

/** What a person said. */
export const Message: React.NamedExoticComponent<MessageProps> = memo(function Message({ entry }: MessageProps) {
  const to = useStore(state => entry.to?.map(voice => nameOf(state, { voice, name: null })).join(', '))
  return (
    <article className="message" aria-label={to === undefined ? 'You' : `You, to ${to}`}>
      {to !== undefined && <p className="said-to">To {to}</p>}
      {(entry.files === undefined || entry.text.trim() !== '') && <p className="bubble">{entry.text}</p>}
      {entry.files !== undefined && <Files files={entry.files} />}
      <Marked mark={entry.mark} />
      {entry.waits === true && (
        <span className="marked" data-mark="waits" title="The next request has it, or the next turn answers it">
          Waiting to be heard
        </span>
      )}
      <time className="said-at" dateTime={entry.at}>
        {clockTime(entry.at)}
      </time>
    </article>
  )
})

/** What came with it, by name; the words beside each say whether it is a picture. */
function Files({ files }: { readonly files: readonly FileChip[] }): React.ReactNode {
  return (
    <ul className="attached" aria-label="Files">
      {files.map(({ kind, name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's files never change, and two may have one name
        <li key={index} className="chip">
          <span className="chip-kind">{kind === 'image' ? 'Image' : 'File'}</span> {name}
        </li>
      ))}
    </ul>
  )
}
