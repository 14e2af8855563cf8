// Shows which later requests had a message, and why.
import { useEffect, useState } from 'react'
import { point } from '../../parts/pointing.ts'
import { VoiceDot } from '../../parts/voice-dot.tsx'
import { JumpLink } from '../../reply/actions/jump-link.tsx'
import { useInspectApi, useStore } from '../../store/use-store.ts'
import { shownVoiceName } from '../../view/called.ts'
import { lookHash } from '../../view/route.ts'
import type { PresencePage, Present } from '../../wire/inspect-api.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { reasonSentence } from '../../words/reasons.ts'
import { clockTime } from '../../words/words.ts'
import { goTo } from '../go-to.ts'
import { MarkWithEffect } from '../items/mark-with-effect.tsx'
import { InspectorProblem } from '../trouble.tsx'
import { presenceWords } from './presence.ts'

type PresenceViewProps = { readonly session: string; readonly seq: number }

/** Where one message went: every later request, with or without it, and why. */
export function PresenceView({ session, seq }: PresenceViewProps): React.ReactNode {
  const { items, next, problem, more } = usePresence(session, seq)
  useEffect(() => {
    point({ from: seq, to: seq })
    return () => point(null)
  }, [seq])
  return (
    <div className="look presence">
      <header className="look-head">
        <div className="look-title">
          <h2>Where was this used?</h2>
          <span className="look-step">
            Event <JumpLink seq={seq}>{String(seq)}</JumpLink>
          </span>
        </div>
        {items !== null && <p className="presence-words">{presenceWords(items, next !== null)}</p>}
        {items?.[0] !== undefined && <MarkWithEffect key={seq} seq={seq} voice={items[0].voice} />}
      </header>
      {problem !== null && <InspectorProblem problem={problem} />}
      {items !== null && items.length > 0 && (
        <>
          <div className="presence-strip" aria-hidden="true">
            {items.toReversed().map(present => (
              <button
                key={keyOf(present)}
                type="button"
                tabIndex={-1}
                data-in={present.in}
                data-part={present.part}
                title={reasonSentence(present.reason)}
                onClick={() => goTo(session, present)}
              />
            ))}
          </div>
          <ol className="presence-list" aria-label="Requests, the newest first">
            {items.map(present => (
              <PresentRow key={keyOf(present)} session={session} present={present} />
            ))}
          </ol>
          {next !== null && (
            <button type="button" className="chip-button" onClick={more}>
              Show earlier requests
            </button>
          )}
        </>
      )}
    </div>
  )
}

const keyOf = ({ turn, step }: Present): string => `${turn} ${step}`

function PresentRow({ session, present }: { readonly session: string; readonly present: Present }): React.ReactNode {
  const { voice, at, reason } = present
  const name = useStore(state => shownVoiceName(state, { voice, name: null }))
  return (
    <li>
      <a href={lookHash(session, present)} data-in={present.in} data-part={present.part}>
        <span className="presence-mark" aria-hidden="true" />
        <span className="presence-in">{present.in ? (present.part === true ? 'In part' : 'In') : 'Out'}</span>
        <span className="item-words">
          <VoiceDot voice={voice} />
          {name}
          <time dateTime={at}>{clockTime(at)}</time>
        </span>
        <span className="item-more">{reasonSentence(reason)}</span>
        <span className="item-code">{reason}</span>
      </a>
    </li>
  )
}

type Pages = Pick<PresencePage, 'next'> & { readonly items: readonly Present[] | null; readonly problem: ApiProblem | null }

function usePresence(session: string, seq: number): Pages & { readonly more: () => void } {
  const inspectApi = useInspectApi()
  const [pages, setPages] = useState<Pages>({ items: null, next: null, problem: null })
  useEffect(() => {
    let isWanted = true
    setPages({ items: null, next: null, problem: null })
    inspectApi
      .presence(session, seq, null)
      .then(read => {
        if (isWanted) setPages(read.ok ? { ...read.value, problem: null } : { items: null, next: null, problem: read.problem })
      })
      .catch(reportError)
    return () => {
      isWanted = false
    }
  }, [inspectApi, session, seq])
  const more = (): void => {
    inspectApi
      .presence(session, seq, pages.next)
      .then(read => {
        if (!read.ok) return setPages(now => ({ ...now, problem: read.problem }))
        setPages(now =>
          now === pages ? { items: [...(now.items ?? []), ...read.value.items], next: read.value.next, problem: null } : now,
        )
      })
      .catch(reportError)
  }
  return { ...pages, more }
}
