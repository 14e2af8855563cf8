// Says how a turn ended, with the button that helps.
import type { Fault } from '../../../src/model/fault.ts'
import { useFrame } from '../parts/frame.ts'
import { unfinishedState } from '../view/resumable.ts'
import type { Ending, ReplyEntry } from '../view/view.ts'
import { faultWordsOf, isUnpaid } from '../words/fault-words.ts'
import { providerOf } from '../words/model-words.ts'
import { endWords, formatCount } from '../words/words.ts'
import { ResumeButton } from './actions/resume-button.tsx'
import { FaultNote } from './fault-note.tsx'

/** How a turn ended, where that is worth a word: what happened, what to do, and the button for it. */
export function EndNote({ entry }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { end, steps } = entry
  if (!isEnding(end)) return null
  const { reason, fault } = end
  if (reason === 'failed' && fault !== null) {
    const model = steps.findLast(({ receipt }) => receipt !== null)?.receipt?.model ?? null
    const { words, detail, remedy } = faultWordsOf(fault, model)
    return (
      <div className="ending">
        <FaultNote words={words} detail={detail} remedy={remedy} quiet={false} />
        <UpdateKey fault={fault} model={model} />
        <ResumeButton entry={entry} />
      </div>
    )
  }
  const state = unfinishedState(entry)
  if (state === 'cut' || state === 'empty')
    return (
      <div className="ending">
        <FaultNote words={UNFINISHED[state]} detail={null} remedy={limitWords(entry)} quiet={state === 'cut'} />
        <ResumeButton entry={entry} />
      </div>
    )
  const words = endWords(end)
  if (words === null) return null
  return (
    <div className="ending">
      <FaultNote words={words} detail={null} remedy={REMEDIES[reason]} quiet={reason !== 'failed'} />
      <ResumeButton entry={entry} />
    </div>
  )
}

const UNFINISHED = { cut: 'Cut off at the reply limit', empty: 'The model returned no answer' } as const

/** How long the last reply could have been, and what it did with that. */
function limitWords({ steps }: ReplyEntry): string | null {
  const last = steps.at(-1)
  const limit = last?.receipt?.tokens.reserved
  if (last?.stop !== 'length' || limit === undefined) return null
  const thought = last.parts.some(part => part.type === 'think') ? ', thinking included' : ''
  return `It used all ${formatCount(limit)} tokens it may have${thought}.`
}

/** Nothing failed, but the person may still want to act. */
const REMEDIES: Record<Ending['reason'], string | null> = {
  done: null,
  failed: null,
  cancelled: null,
  interrupted: 'It was cut off while it was being said. What was said so far is kept.',
  limit: 'Say “go on” to let it continue. limits.steps and limits.tokensPerTurn in the settings set how far it goes by itself.',
}

export const isEnding = (end: ReplyEntry['end'] | undefined): end is Ending =>
  end !== undefined && end !== null && end !== 'continued'

type UpdateKeyProps = {
  readonly fault: Fault
  /** The model that was asked; null if that is not known. */
  readonly model: string | null
}

/** Opens the dialog for the provider that refused the key. */
function UpdateKey({ fault, model }: UpdateKeyProps): React.ReactNode {
  const { connect } = useFrame()
  if (fault.kind !== 'unauthorized' || isUnpaid(fault.message)) return null
  return (
    <button type="button" className="button resume" onClick={() => connect(model === null ? null : providerOf(model), 'key')}>
      Update key
    </button>
  )
}
