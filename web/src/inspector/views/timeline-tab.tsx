// Every request of a session: size, cached part, cost.
import { useEffect, useState } from 'react'
import { SelectField } from '../../form/select-field.tsx'
import { useInspectApi, useStore } from '../../store/use-store.ts'
import { shownVoiceName } from '../../view/called.ts'
import { lookHash } from '../../view/route.ts'
import type { RequestAt, TimelineMoment, TimelinePage } from '../../wire/inspect-api.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { dollars, percentWords } from '../../words/amounts.ts'
import { clockTime, formatCount } from '../../words/words.ts'
import { InspectorProblem } from '../trouble.tsx'
import { cachedShare, requestTokens } from './timeline.ts'
import { TimelineChart } from './timeline-chart.tsx'

type TimelineTabProps = { readonly session: string; readonly at: RequestAt; readonly voice: string }

/** Every request of a session: its length, its cached part, its cost, and where the window dropped. */
export function TimelineTab({ session, at, voice }: TimelineTabProps): React.ReactNode {
  const { moments, next, problem, more } = useTimeline(session)
  const [chosen, setChosen] = useState(voice)
  const known = useStore(state => state)
  if (problem !== null) return <InspectorProblem problem={problem} />
  if (moments === null) return <p className="look-note">Reading …</p>
  const voices = [...new Set(moments.map(moment => moment.voice))]
  const shown = moments.filter(moment => moment.voice === chosen)
  return (
    <section className="timeline" aria-label="Timeline">
      {voices.length > 1 && (
        <SelectField
          label="Requests of"
          value={chosen}
          onChange={setChosen}
          options={voices.map(each => ({ value: each, label: shownVoiceName(known, { voice: each, name: null }) }))}
        />
      )}
      <TimelineChart session={session} moments={shown} at={at} />
      <Table session={session} moments={shown} at={at} />
      {next !== null && (
        <button type="button" className="chip-button" onClick={more}>
          Show later requests
        </button>
      )}
    </section>
  )
}

type TableProps = { readonly session: string; readonly moments: readonly TimelineMoment[]; readonly at: RequestAt }

/** The same in figures. */
function Table({ session, moments, at }: TableProps): React.ReactNode {
  return (
    <details className="timeline-table">
      <summary>The same as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Time</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cached</th>
            <th scope="col">Cost</th>
            <th scope="col">Left</th>
          </tr>
        </thead>
        <tbody>
          {moments.map((moment, index) => {
            const share = cachedShare(moment)
            return (
              <tr key={moment.seq} aria-current={isAt(moment, at) ? 'true' : undefined}>
                <th scope="row">
                  <a className="link" href={lookHash(session, moment)}>
                    {index + 1}
                  </a>
                </th>
                <td>{clockTime(moment.at)}</td>
                <td>{formatCount(requestTokens(moment))}</td>
                <td>{share === null ? '–' : percentWords(share)}</td>
                <td>{dollars(moment.costUsd)}</td>
                <td>{moment.dropped === 0 ? '' : formatCount(moment.dropped)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </details>
  )
}

export const isAt = (moment: RequestAt, { turn, step }: RequestAt): boolean => moment.turn === turn && moment.step === step

type Read = Pick<TimelinePage, 'next'> & {
  readonly moments: readonly TimelineMoment[] | null
  readonly problem: ApiProblem | null
}

/** Read again whenever another request was made. */
function useTimeline(session: string): Read & { readonly more: () => void } {
  const inspectApi = useInspectApi()
  const running = useStore(state => state.view.running.length)
  const [read, setRead] = useState<Read>({ moments: null, next: null, problem: null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what runs adds to it
  useEffect(() => {
    let isWanted = true
    inspectApi
      .timeline(session, null)
      .then(page => {
        if (!isWanted) return
        setRead(
          page.ok
            ? { moments: page.value.items, next: page.value.next, problem: null }
            : { moments: null, next: null, problem: page.problem },
        )
      })
      .catch(reportError)
    return () => {
      isWanted = false
    }
  }, [inspectApi, session, running])
  const more = (): void => {
    inspectApi
      .timeline(session, read.next)
      .then(page => {
        if (!page.ok) return setRead(now => ({ ...now, problem: page.problem }))
        const { items, next } = page.value
        setRead(now => (now === read ? { moments: [...(now.moments ?? []), ...items], next, problem: null } : now))
      })
      .catch(reportError)
  }
  return { ...read, more }
}
