// Lists hidden advisors, each with a way back.
import type { Council } from '../../../src/model/settings/council.ts'
import { VoiceDot } from '../parts/voice-dot.tsx'
import { useActions } from '../store/use-store.ts'

/** Advisors who answer only when named; one click brings each of them back. */
export function HiddenAdvisors({ council }: { readonly council: Council }): React.ReactNode {
  const { seat } = useActions()
  const hidden = council.advisors.filter(({ active }) => !active)
  if (hidden.length === 0) return null
  return (
    <span className="chip-group">
      <span>Hidden</span>
      {hidden.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className="chip-button hidden-advisor"
          aria-label={`Bring back ${name}`}
          title={`${name} answers only when named; bring back`}
          onClick={() => seat(id, true).catch(reportError)}
        >
          <VoiceDot voice={id} />
          {name}
        </button>
      ))}
    </span>
  )
}
