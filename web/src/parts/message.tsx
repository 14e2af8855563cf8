import { memo } from 'react'
import type { MessageEntry } from '../view.ts'
import { clockTime } from '../words.ts'
import { Marked } from './marked.tsx'

type MessageProps = { readonly entry: MessageEntry }

/** What a person said. */
export const Message: React.NamedExoticComponent<MessageProps> = memo(function Message({ entry }: MessageProps) {
  return (
    <article className="message" aria-label="You">
      <p className="bubble">{entry.text}</p>
      <Marked mark={entry.mark} />
      <time className="said-at" dateTime={entry.at}>
        {clockTime(entry.at)}
      </time>
    </article>
  )
})
