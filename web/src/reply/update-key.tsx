// The button under a reply that failed because of its key.
import type { Fault } from '../../../src/model/fault.ts'
import { useFrame } from '../parts/frame.ts'
import { providerOf } from '../words/model-words.ts'

type UpdateKeyProps = {
  readonly fault: Fault
  /** The model that was asked; null if that is not known. */
  readonly model: string | null
}

/** Opens the dialog for the provider that refused the key. */
export function UpdateKey({ fault, model }: UpdateKeyProps): React.ReactNode {
  const { connect } = useFrame()
  if (fault.kind !== 'unauthorized') return null
  return (
    <button type="button" className="button resume" onClick={() => connect(model === null ? null : providerOf(model), 'key')}>
      Update key
    </button>
  )
}
