// Chooses who answers.
import { VoiceDot } from '../../parts/voice-dot.tsx'
import { useActions, useStore } from '../../store/use-store.ts'
import type { NewSessionFor } from '../../wire/client.ts'
import { answeringVoices, isThere } from '../answering.ts'
import { optionOf, WhoOptions, whomOf } from './who-options.tsx'

/** Who answers: in this conversation from now on, or in the one that is about to begin. Where there is only one, nothing is asked. */
export function Who(): React.ReactNode {
  const { arrange } = useActions()
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const whom = useStore(state => state.whom)
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const now: NewSessionFor = answeringVoices({ names, councils, whom, session, about }) ?? { agent: Object.keys(names)[0] ?? '' }
  const isGone = !isThere({ names, councils }, now)
  if (Object.keys(names).length + councils.length < 2 && !isGone) return null
  return (
    <span className="who">
      {'agent' in now && <VoiceDot voice={now.agent} />}
      <select
        className="pick pick-who"
        aria-label="Who answers"
        title="Who answers"
        value={optionOf(now)}
        onChange={event => arrange(whomOf(event.target.value)).catch(reportError)}
      >
        <WhoOptions names={names} councils={councils} />
        {isGone && <option value={optionOf(now)}>{'council' in now ? now.council : now.agent} (gone)</option>}
      </select>
    </span>
  )
}
