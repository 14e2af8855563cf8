// Lists the messages that wait for the running turn to end.
import { Icon } from '../parts/icon.tsx'
import type { Queued } from '../store/message/queue.ts'
import { isBusy } from '../store/message/waiting.ts'
import { useActions, useStore } from '../store/use-store.ts'

/** What is said when the running turn has ended, in order; after a stop or a failure a person decides. */
export function QueueList({ onLeave }: { readonly onLeave: () => void }): React.ReactNode {
  const queue = useStore(state => state.queue)
  const leaving = useStore(state => state.leaving)
  const isPaused = useStore(state => !isBusy(state) && state.leaving === null)
  if (queue.length === 0) return null
  return (
    <section className="queue" aria-label="Queued messages">
      <p className="queue-words" role="status">
        {isPaused ? 'Paused: send?' : 'Sent when the reply has ended'}
      </p>
      <ol className="queue-rows">
        {queue.map(item => (
          <QueueRow key={item.key} item={item} isLeaving={leaving === item.key} onLeave={onLeave} />
        ))}
      </ol>
    </section>
  )
}

type QueueRowProps = { readonly item: Queued; readonly isLeaving: boolean; readonly onLeave: () => void }

function QueueRow({ item: { key, text, files = [] }, isLeaving, onLeave }: QueueRowProps): React.ReactNode {
  const { sendQueued, editQueued, dropQueued, announce } = useActions()
  const start = text.slice(0, 40) || files.join(', ')
  return (
    <li className="queue-row" aria-busy={isLeaving}>
      <span className="queue-text" title={text}>
        {text}
        {files.length > 0 && <span className="queue-files"> + {files.join(', ')}</span>}
      </span>
      <button
        type="button"
        className="queue-button"
        disabled={isLeaving}
        onClick={() => {
          sendQueued(key).catch(reportError)
          onLeave()
        }}
      >
        Send now<span className="unseen">: {start}</span>
      </button>
      <button
        type="button"
        className="small-button"
        disabled={isLeaving}
        aria-label={`Edit: ${start}`}
        title="Edit"
        onClick={() => {
          editQueued(key)
          onLeave()
        }}
      >
        <Icon name="pen" />
      </button>
      <button
        type="button"
        className="small-button"
        disabled={isLeaving}
        aria-label={`Remove: ${start}`}
        title="Remove"
        onClick={() => {
          dropQueued(key)
          announce('Removed from the queue')
          onLeave()
        }}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}
