// The buttons that pin, exclude and link a message.
import type { Mark } from '../../../../src/model/event.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useActions, useStore } from '../../store/use-store.ts'
import { sessionHash } from '../../view/route.ts'
import { ActionButton } from './action-bar.tsx'

type MarkActionsProps = {
  /** The seq of the message, or of each reply of a turn. */
  readonly seqs: readonly number[]
  readonly mark: Mark | null
  readonly isBusy: boolean
}

/** A person's word on a message: always sent, never sent, or as the policy has it. A turn is marked by its last reply. */
export function MarkActions({ seqs, mark, isBusy }: MarkActionsProps): React.ReactNode {
  const actions = useActions()
  const toggle = (wanted: Mark): void => {
    actions.mark(mark === wanted ? seqs : seqs.slice(-1), mark === wanted ? null : wanted).catch(reportError)
  }
  if (seqs.length === 0) return null
  return (
    <>
      <ActionButton
        icon="pushpin"
        label={mark === 'pin' ? 'Pinned: sent every time. Unpin' : 'Pin: send it every time'}
        isPressed={mark === 'pin'}
        isDisabled={isBusy}
        onPress={() => toggle('pin')}
      />
      <ActionButton
        icon="hide"
        label={mark === 'exclude' ? 'Kept out: not sent. Send it again' : 'Keep out: do not send it'}
        isPressed={mark === 'exclude'}
        isDisabled={isBusy}
        onPress={() => toggle('exclude')}
      />
    </>
  )
}

/** The address of one message, to share or keep. */
export function LinkAction({ seq }: { readonly seq: number }): React.ReactNode {
  const session = useStore(state => state.session)
  const address = new URL(sessionHash(session, seq), location.href).href
  return <CopyButton text={address} label="Copy a link to this message" icon="link" />
}
