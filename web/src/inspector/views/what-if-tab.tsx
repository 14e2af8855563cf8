// The same turn under other settings; nothing is sent.
import { useEffect, useMemo, useState } from 'react'
import { isHouseVoice } from '../../../../src/model/settings/council.ts'
import { SelectField } from '../../form/select-field.tsx'
import { TextField } from '../../form/text-field.tsx'
import { ModelPicker } from '../../model-picker/model-picker.tsx'
import { useWorkspaceLists } from '../../parts/use-workspace-lists.ts'
import { useActions, useInspectApi, useStore } from '../../store/use-store.ts'
import type { InspectedSent } from '../../wire/inspect-api.ts'
import { asVoice } from '../items/marks.ts'
import { InspectorProblem } from '../trouble.tsx'
import { useInspectorQuery } from '../use-asked.ts'
import { RequestsSideBySide } from './side-by-side.tsx'
import { AS_IT_WAS, earlierPoints, type WhatIfForm, whatIfOf, whyNotBudget } from './wish.ts'

type WhatIfTabProps = { readonly session: string; readonly turn: string; readonly sent: InspectedSent; readonly step: number }

/** The same turn under other settings: nothing is sent or saved until the person asks. */
export function WhatIfTab({ session, turn, sent, step }: WhatIfTabProps): React.ReactNode {
  const { voice, inputs } = sent.receipt
  const first = useFirst(session, turn, sent, step)
  const [wanted, setWanted] = useState<WhatIfForm>(AS_IT_WAS)
  const would = useWould(session, voice, wanted, inputs.cause)
  if (isHouseVoice(voice)) return <p className="look-note">The house asked this itself; no policy shaped it.</p>
  const whatIf = whatIfOf(wanted, inputs.cause)
  return (
    <section className="what-if" aria-label="What if">
      <Wishes sent={sent} wanted={wanted} onWanted={setWanted} />
      {step > 1 && <p className="look-note">A turn is asked again from its first request, so that one is compared.</p>}
      {whatIf === null && <p className="look-note">Choose something else above, and see what would have been sent.</p>}
      {whatIf !== null && would.problem !== null && <InspectorProblem problem={would.problem} />}
      {whatIf !== null && would.value !== null && first !== null && (
        <div aria-busy={would.isStale}>
          <RequestsSideBySide session={session} sent={first} would={would.value} turn={turn} />
          <RunIt wanted={wanted} at={whatIf.at ?? inputs.cause} isReady={!would.isStale} />
        </div>
      )}
    </section>
  )
}

/** A turn is imagined from its beginning, so its first request is what is compared. */
function useFirst(session: string, turn: string, sent: InspectedSent, step: number): InspectedSent | null {
  const inspectApi = useInspectApi()
  const { value } = useInspectorQuery(step === 1 ? null : `${session} ${turn}`, () => inspectApi.sent(session, turn, 1))
  return step === 1 ? sent : value
}

const PAUSE_MS = 250

function useWould(session: string, voice: string, wanted: WhatIfForm, cause: number) {
  const inspectApi = useInspectApi()
  const { get } = useActions()
  const [settled, setSettled] = useState(wanted)
  // A half-typed number is not a choice yet.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), settled.budget === wanted.budget ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [wanted, settled])
  const whatIf = isHouseVoice(voice) ? null : whatIfOf(settled, cause)
  return useInspectorQuery(whatIf === null ? null : `${session} ${voice} ${JSON.stringify(whatIf)}`, () =>
    inspectApi.wouldBe(session, { ...asVoice(get().about, voice), ...whatIf }),
  )
}

type WishesProps = { readonly sent: InspectedSent; readonly wanted: WhatIfForm; readonly onWanted: (wanted: WhatIfForm) => void }

function Wishes({ sent, wanted, onWanted }: WishesProps): React.ReactNode {
  const lists = useWorkspaceLists()
  const entries = useStore(state => state.view.entries)
  const { policy, model, inputs, tokens } = sent.receipt
  const points = useMemo(() => earlierPoints(entries, inputs.cause), [entries, inputs.cause])
  const set = (name: keyof WhatIfForm) => (value: string) => onWanted({ ...wanted, [name]: value })
  const [name] = policy.split('@')
  return (
    <div className="wishes">
      <SelectField
        label="Policy"
        value={wanted.policy}
        onChange={set('policy')}
        options={[
          { value: '', label: `${policy} (as it was)` },
          ...(lists?.policies ?? []).filter(each => each.name !== name).map(each => ({ value: each.name, label: each.name })),
        ]}
      />
      <ModelPicker label="Model" value={wanted.model} onChange={set('model')} allowDefault={`${model} (as it was)`} />
      <TextField
        label="Budget in tokens"
        value={wanted.budget}
        onChange={set('budget')}
        placeholder={String(tokens.limit)}
        error={whyNotBudget(wanted) ?? undefined}
      />
      <SelectField
        label="As of"
        value={wanted.at}
        onChange={set('at')}
        options={[{ value: '', label: `message ${inputs.cause} (as it was)` }, ...points]}
      />
    </div>
  )
}

type RunItProps = { readonly wanted: WhatIfForm; readonly at: number; readonly isReady: boolean }

/** Asks so in a fork; what was said stays as it is. */
function RunIt({ wanted, at, isReady }: RunItProps): React.ReactNode {
  const { askAgain } = useActions()
  const isBusy = useStore(state => state.view.running.length > 0)
  const [isRunning, setRunning] = useState(false)
  const { policy, model, budget } = wanted
  const run = (): void => {
    setRunning(true)
    askAgain(at, { ...(policy === '' ? {} : { policy }), ...(model === '' ? {} : { model }) })
      .catch(reportError)
      .finally(() => setRunning(false))
  }
  return (
    <p className="run-it">
      <button type="button" className="button primary" disabled={!isReady || isBusy || isRunning || budget !== ''} onClick={run}>
        Run it
      </button>
      <span>
        {budget === ''
          ? 'Asks so in a version of its own; this one stays as it is.'
          : 'A budget can only be tried here. To ask with it, write a policy that has it.'}
      </span>
    </p>
  )
}
