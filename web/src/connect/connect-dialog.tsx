// The dialog that connects a provider: choose it, enter a key or an address, choose a model.
import { useId, useState } from 'react'
import type { ConnectedProvider } from '../../../src/model/connectable-providers.ts'
import { ProblemBox } from '../form/problem-box.tsx'
import { Icon } from '../parts/icon.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { useModal } from '../parts/use-modal.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import { ChooseDefault } from './choose-default.tsx'
import { ConnectChoices } from './connect-choices.tsx'
import { ConnectForm } from './connect-form.tsx'
import { type ConnectTarget, OTHER_SERVER, targetOf } from './targets.ts'

type ConnectDialogProps = {
  /** Null lets the person choose. */
  readonly provider: string | null
  /** To enter another key, even if the present one was found to be right. */
  readonly isForKey: boolean
  readonly onClose: () => void
}

export function ConnectDialog({ provider, isForKey, onClose }: ConnectDialogProps): React.ReactNode {
  const dialog = useModal()
  const heading = useId()
  const listed = useLoaded('providers', useWorkspaceApi().providers.list)
  const [name, setName] = useState(provider)
  const [isEditing, setEditing] = useState(isForKey)
  const [found, setFound] = useState<ConnectedProvider | null>(null)
  const target = name === null || listed.value === null ? null : withOutcome(targetOf(listed.value, name), found)
  const isDone = target?.provider?.state === 'ready' && !isEditing
  const back = (): void => {
    setName(null)
    setFound(null)
    setEditing(false)
    listed.reload()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="dialog connect-dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onClick={event => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div className="dialog-inner">
        <header className="dialog-head">
          <h2 id={heading}>{titleOf(target, isDone)}</h2>
          <button type="button" className="quiet-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {listed.problem !== null && <ProblemBox problem={listed.problem} onRetry={listed.reload} />}
        {name === null && <ConnectChoices listed={listed.value} onChoose={setName} />}
        {name !== null && target === null && listed.problem === null && <p role="status">Checking …</p>}
        {target !== null && !isDone && (
          <ConnectForm
            key={target.name}
            target={target}
            onBack={back}
            onChecked={outcome => {
              setFound(outcome)
              if (outcome.state === 'ready') setEditing(false)
            }}
          />
        )}
        {target?.provider != null && isDone && (
          <ChooseDefault
            provider={target.provider}
            onBack={back}
            onEdit={() => setEditing(true)}
            onChecked={setFound}
            onDone={() => dialog.current?.close()}
          />
        )}
      </div>
    </dialog>
  )
}

/** The newest check counts, also of a server that was named just now. */
const withOutcome = (target: ConnectTarget, found: ConnectedProvider | null): ConnectTarget =>
  found === null ? target : { ...target, provider: found }

function titleOf(target: ConnectTarget | null, isDone: boolean): string {
  if (target === null) return 'Connect a model'
  if (isDone) return `${target.provider?.title ?? target.title} is ready`
  return target.name === OTHER_SERVER ? 'Connect a compatible server' : `Connect ${target.title}`
}
