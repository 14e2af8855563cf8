// The head of the inspector: which request, its neighbors, its figures.
import type { Usage } from '../../../src/model/message/delta.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { VoiceDot } from '../parts/voice-dot.tsx'
import { FaultNote } from '../reply/fault-note.tsx'
import { useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { InspectedSent, RequestAt } from '../wire/inspect-api.ts'
import { followWords } from '../words/memory-words.ts'
import { WINDOW_NARROWED } from '../words/reasons.ts'
import { requestFigures, troublesOf, verifiedWords } from './figures.ts'
import { goTo } from './go-to.ts'

type HeadProps = { readonly session: string; readonly sent: InspectedSent; readonly step: number; readonly usage: Usage | null }

/** Which request this is, its neighbours, and what it was in figures. */
export function Head({ session, sent, step, usage }: HeadProps): React.ReactNode {
  const { receipt, previous, next, steps, verified } = sent
  const name = useStore(state => shownVoiceName(state, { voice: receipt.voice, name: null }))
  const follow = receipt.window.follow === undefined ? null : followWords(receipt.window.follow)
  return (
    <header className="look-head">
      <div className="look-title">
        <VoiceDot voice={receipt.voice} />
        <h2>
          Turn {receipt.inputs.ordinal} · {name}
        </h2>
        <span className="look-step">
          Request {step} of {Math.max(steps, step)}
        </span>
        <nav className="look-walk" aria-label={`Requests of ${name}`}>
          <Neighbour session={session} at={previous} icon="back" words="Previous request" keys="←" />
          <Neighbour session={session} at={next} icon="chevron" words="Next request" keys="→" />
        </nav>
      </div>
      <dl className="look-figures">
        {requestFigures(sent, usage).map(({ name: what, value }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="look-verified" data-verified={verified}>
        <Icon name={verified === true ? 'check' : 'info'} />
        {verifiedWords(sent)}
      </p>
      {receipt.window.narrowed === true && (
        <p className="look-verified">
          <Icon name="info" />
          {WINDOW_NARROWED}
        </p>
      )}
      {follow !== null && (
        <p className="look-verified">
          <Icon name="info" />
          {follow}
        </p>
      )}
      {troublesOf(sent).map(({ words, remedy }) => (
        <FaultNote key={words} words={words} detail={null} remedy={remedy} quiet />
      ))}
    </header>
  )
}

type NeighbourProps = {
  readonly session: string
  readonly at: RequestAt | null
  readonly icon: IconName
  readonly words: string
  readonly keys: string
}

/** Stays drawn even if there is no neighbor, so that the focus is not lost. */
function Neighbour({ session, at, icon, words, keys }: NeighbourProps): React.ReactNode {
  return (
    <button
      type="button"
      className="small-button"
      aria-disabled={at === null}
      aria-label={words}
      title={`${words} of this voice (${keys})`}
      onClick={() => {
        if (at !== null) goTo(session, at)
      }}
    >
      <Icon name={icon} />
    </button>
  )
}
