// Compares policies over the person's own chats.
import { useEffect, useMemo, useRef, useState } from 'react'
import { contenderName, lettersOf, pointsOf } from '../../../../src/gateway/cli/context/bench-chart.ts'
import type { Session } from '../../../../src/model/session.ts'
import type { BenchProgress, BenchReport } from '../../../../src/turn/inspect/bench-report.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { Switch } from '../../form/switch.tsx'
import { useActions, useStore, useWorkspaceApi } from '../../store/use-store.ts'
import { onePerFamily } from '../../view/families.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { percentWords } from '../../words/amounts.ts'
import { formatCount, sessionTitle } from '../../words/words.ts'
import { BenchChart } from './bench-chart.tsx'

/** A comparison of more takes long; a person can still choose more. */
const USUALLY = 10
/** What the gateway takes at once. */
const MOST = 50

/** Which policy shows the most for its price, on chats that are chosen here. No model is asked. */
export function PolicyComparison(): React.ReactNode {
  const { bench } = useWorkspaceApi()
  const chats = useChats()
  const [picked, setPicked] = useState<readonly string[] | null>(null)
  const [isBoth, setBoth] = useState(false)
  const [progress, setProgress] = useState<BenchProgress | null>(null)
  const [report, setReport] = useState<BenchReport | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const running = useRef<AbortController | null>(null)
  const [isRunning, setRunning] = useState(false)
  useEffect(() => () => running.current?.abort(), [])

  const usual = chats.slice(0, USUALLY).map(({ id }) => id as string)
  const chosen = picked ?? usual
  const run = async (): Promise<void> => {
    const abort = new AbortController()
    running.current = abort
    setRunning(true)
    setProblem(null)
    const done = await bench({ sessions: chosen, withoutMemory: isBoth }, setProgress, abort.signal)
    setRunning(false)
    setProgress(null)
    if (abort.signal.aborted) return
    if (done.ok) setReport(done.value)
    else setProblem(done.problem)
  }
  return (
    <section className="page-part" aria-labelledby="bench-title">
      <h2 id="bench-title">Compare policies on your chats</h2>
      <p className="page-note">
        Plans every request of the chosen chats under every policy: what it would have cost, and whether it would have shown what
        a later question was about. Nothing is sent to a model.
      </p>
      {chats.length === 0 ? (
        <p className="empty">There are no chats to compare on yet.</p>
      ) : (
        <>
          <ChatChoice chats={chats} chosen={chosen} onChange={setPicked} />
          <Switch label="Also without memory (no recall, no summaries)" isOn={isBoth} onChange={setBoth} />
          <p className="bench-run">
            <button
              type="button"
              className="button primary"
              disabled={isRunning || chosen.length === 0}
              onClick={() => run().catch(reportError)}
            >
              Compare
            </button>
            {isRunning && (
              <button type="button" className="button" onClick={() => running.current?.abort()}>
                Stop
              </button>
            )}
            <span role="status">{isRunning ? progressWords(progress, chats) : ''}</span>
          </p>
        </>
      )}
      {problem !== null && <ProblemBox problem={problem} />}
      {report !== null && <BenchResult report={report} />}
    </section>
  )
}

function progressWords(progress: BenchProgress | null, chats: readonly Session[]): string {
  if (progress === null) return 'Comparing …'
  const chat = chats.find(({ id }) => id === progress.session) ?? null
  return `${contenderName(progress)} on “${sessionTitle(chat)}”: ${formatCount(progress.requests)} requests`
}

/** The chats that are known to the list, the longest first: only a long one makes policies differ. */
function useChats(): readonly Session[] {
  const sessions = useStore(state => state.sessions)
  const { more } = useActions()
  const next = useStore(state => state.next)
  useEffect(() => {
    if (next !== null && sessions.length < 2 * MOST) more().catch(reportError)
  }, [next, sessions.length, more])
  return useMemo(
    () =>
      onePerFamily(sessions)
        .filter(({ messages }) => messages > 1)
        .toSorted((one, other) => other.messages - one.messages),
    [sessions],
  )
}

type ChatChoiceProps = {
  readonly chats: readonly Session[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

function ChatChoice({ chats, chosen, onChange }: ChatChoiceProps): React.ReactNode {
  return (
    <details className="fold bench-chats">
      <summary>
        {formatCount(chosen.length)} of {formatCount(chats.length)} {chats.length === 1 ? 'chat' : 'chats'} chosen
      </summary>
      <ul>
        {chats.map(chat => (
          <li key={chat.id}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(chat.id)}
                disabled={!chosen.includes(chat.id) && chosen.length >= MOST}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, chat.id] : chosen.filter(other => other !== chat.id))
                }
              />
              <span className="bench-chat">{sessionTitle(chat)}</span>
              <span className="faint">{formatCount(chat.messages)} messages</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

function BenchResult({ report }: { readonly report: BenchReport }): React.ReactNode {
  const { rows, questions, sessions, skipped } = report
  const points = pointsOf(rows)
  const letters = lettersOf(rows)
  return (
    <div className="bench-result">
      <p className="page-note" role="status">
        {questions === 0
          ? `In ${chatsWords(sessions)} no later message names something said only once before, so there is no recall to compare. Choose longer chats.`
          : `${formatCount(questions)} ${questions === 1 ? 'question' : 'questions'} from ${chatsWords(sessions)}: later messages that name something said only once before.`}
        {skipped.length > 0 && ` ${chatsWords(skipped.length)} could not be planned: ${skipped[0]?.why}.`}
      </p>
      {points.length > 0 && <BenchChart points={points} />}
      <table className="table" data-cards="true">
        <caption className="unseen">Policies compared</caption>
        <thead>
          <tr>
            <th scope="col">Policy</th>
            {HEADS.map(head => (
              <th key={head} scope="col" className="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={contenderName(row)}>
              <th scope="row">
                {points.length > 0 && <b>{letters.get(contenderName(row))} </b>}
                {contenderName(row)}
              </th>
              {[
                row.recall === null ? '–' : percentWords(row.recall),
                formatCount(Math.round(row.units)),
                formatCount(Math.round(row.tokens)),
                percentWords(row.cached),
                row.used === 0 ? '–' : percentWords(row.visible / row.used),
              ].map((value, index) => (
                <td key={HEADS[index]} className="number" data-label={HEADS[index]}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const HEADS = ['Recall', 'Price', 'Tokens', 'Cached', 'Names shown'] as const

const chatsWords = (many: number): string => (many === 1 ? '1 chat' : `${formatCount(many)} chats`)
