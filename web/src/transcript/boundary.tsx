// The line above which messages are not in the newest request.
import { WindowActions } from '../reply/window-actions.tsx'
import { useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { Boundary as Place } from '../view/view.ts'
import { leftWords } from '../words/reasons.ts'

/** Where the newest request begins to look: how much above it was not sent, and what can be done about that. */
export function BoundaryLine({ boundary }: { readonly boundary: Place }): React.ReactNode {
  const { left, voice } = boundary
  const name = useStore(state => ((state.about?.council ?? null) === null ? null : shownVoiceName(state, { voice, name: null })))
  return (
    <div className="line boundary">
      <span className="boundary-words">{leftWords(left, name)}</span> <WindowActions boundary={boundary} />
    </div>
  )
}
