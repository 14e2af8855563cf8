// The line above which messages are not in the newest request.
import { receiptPlace } from '../reply/receipt/context-line.tsx'
import { setOpen } from '../reply/receipt/details.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { Boundary as Place } from '../view/view.ts'
import { leftWords } from '../words/reasons.ts'
import { useReading } from './reading.ts'
import { rowOfTurn, transcriptRows } from './rows.ts'

/** Where a voice's view begins: messages above this line are not in its newest request. */
export function BoundaryLine({ boundary }: { readonly boundary: Place }): React.ReactNode {
  const { get } = useActions()
  const { jump } = useReading()
  const { left, voice, turn } = boundary
  const name = useStore(state => shownVoiceName(state, { voice, name: null }))
  const showWhy = (): void => {
    const { view, about } = get()
    const rows = transcriptRows(view.entries, (about?.council ?? null) !== null)
    const row = rows[rowOfTurn(rows, turn)]
    setOpen(receiptPlace(turn), true)
    if (row !== undefined) jump(row.key)
  }
  return (
    <p className="line boundary">
      <span className="boundary-words">
        {leftWords(left)} to {name}
      </span>{' '}
      <button type="button" className="link" onClick={showWhy}>
        Show why
      </button>{' '}
      <span className="boundary-hint">Pin a message to send it every time.</span>
    </p>
  )
}
