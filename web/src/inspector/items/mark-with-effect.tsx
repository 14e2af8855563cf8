// Pins or excludes a message, and shows the effect first.
import { useState } from 'react'
import { isHouseVoice } from '../../../../src/model/settings/council.ts'
import { useActions, useInspectApi, useStore } from '../../store/use-store.ts'
import { markEffect } from '../views/compare.ts'
import { asVoice, type MarkChoice, markAt, marksOver } from './marks.ts'

type Asked = { readonly choice: MarkChoice; readonly effect: string | null; readonly isKnown: boolean }

/** Pins a message or keeps it out; what that does to the next request is shown before it is done. */
export function MarkWithEffect({ seq, voice }: { readonly seq: number; readonly voice: string }): React.ReactNode {
  const inspectApi = useInspectApi()
  const { mark: keep, get } = useActions()
  const session = useStore(state => state.session)
  const mark = useStore(state => markAt(state.view.entries, seq))
  const isBusy = useStore(state => state.view.running.length > 0)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (session === null || isHouseVoice(voice)) return null

  const ask = async (choice: MarkChoice): Promise<void> => {
    setAsked({ choice, effect: null, isKnown: false })
    const whom = asVoice(get().about, voice)
    const [before, after] = await Promise.all([
      inspectApi.wouldBe(session, whom),
      inspectApi.wouldBe(session, { ...whom, marks: [{ seq, mark: choice.mark }] }),
    ])
    const isKnown = before.ok && after.ok
    const failed = !after.ok ? after.problem : before.ok ? null : before.problem
    const effect = isKnown ? markEffect(before.value, after.value, seq) : (failed?.detail ?? '')
    setAsked(now => (now?.choice === choice ? { choice, effect, isKnown } : now))
  }
  const confirm = (choice: MarkChoice): void => {
    keep([seq], choice.mark)
      .then(() => setAsked(null))
      .catch(reportError)
  }
  if (asked === null)
    return (
      <span className="mark-choices">
        {marksOver(mark).map(choice => (
          <button
            key={choice.words}
            type="button"
            className="chip-button"
            data-letter={choice.letter}
            title={`${choice.words} (${choice.letter})`}
            disabled={isBusy}
            onClick={event => {
              event.stopPropagation()
              ask(choice).catch(reportError)
            }}
          >
            {choice.words} …
          </button>
        ))}
      </span>
    )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps a click from closing the row
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <span className="mark-choices" onClick={event => event.stopPropagation()}>
      <span className="mark-effect" role="status">
        {asked.effect ?? 'Looking what it would do …'}
      </span>
      <button
        type="button"
        className="chip-button primary"
        // biome-ignore lint/a11y/noAutofocus: the button that was pressed is gone, and this one takes its place
        autoFocus
        disabled={!asked.isKnown || isBusy}
        onClick={() => confirm(asked.choice)}
      >
        {asked.choice.words}
      </button>
      <button type="button" className="chip-button" onClick={() => setAsked(null)}>
        Leave it
      </button>
    </span>
  )
}
