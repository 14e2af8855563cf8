// A line in the transcript that is not a message.
import type { LineEntry } from '../view/view.ts'

/** A note about the conversation that is not a message. */
export function Line({ entry }: { readonly entry: LineEntry }): React.ReactNode {
  if (entry.what === 'damaged') return <p className="line">One entry here can no longer be read ({entry.text}).</p>
  return (
    <details className="line">
      <summary>What was said above is summed up for the model from here on</summary>
      <p className="said">{entry.text}</p>
    </details>
  )
}
