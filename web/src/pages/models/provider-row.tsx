// One provider with its state, its key, and what can be done about it.
import { useState } from 'react'
import type { ConnectedProvider } from '../../../../src/model/connectable-providers.ts'
import { ConfirmDialog } from '../../form/confirm-dialog.tsx'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useFrame } from '../../parts/frame.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import { providerOf } from '../../words/model-words.ts'
import { keySourceWords, modelCountWords, providerMessageWords, providerStateWords } from '../../words/provider-words.ts'

type ProviderRowProps = {
  readonly provider: ConnectedProvider
  /** The default model; null until it was read. */
  readonly usual: string | null
}

export function ProviderItem({ provider, usual }: ProviderRowProps): React.ReactNode {
  const { connect } = useFrame()
  const { providers } = useWorkspaceApi()
  const { workspaceChanged } = useActions()
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const { name, title, state, baseURL, models } = provider
  const message = providerMessageWords(provider)
  const isReady = state === 'ready'
  const key = keySourceWords(provider)

  const run = async (asked: Promise<ApiResult<unknown>>): Promise<void> => {
    setBusy(true)
    const done = await asked
    setBusy(false)
    setProblem(done.ok ? null : done.problem)
    workspaceChanged()
  }
  return (
    <li className="provider-row" aria-label={title}>
      <div className="row-head">
        <h3>{title}</h3>
        <span className="chip" data-kind={isReady ? 'ready' : state === 'bad-key' ? 'wrong' : 'missing'}>
          {providerStateWords(state)}
        </span>
        {isReady && <span className="faint">{modelCountWords(models.length)}</span>}
        <code className="faint provider-address">{baseURL}</code>
      </div>
      {key !== null && <p className="page-note">{key}</p>}
      {state !== 'no-key' && message !== null && <p className="page-note">{message}</p>}
      {problem !== null && <ProblemBox problem={problem} />}
      <div className="provider-actions">
        {provider.hasKey || !provider.needsKey ? (
          <>
            <button
              type="button"
              className="button small"
              aria-disabled={isBusy}
              onClick={() => !isBusy && run(providers.check(name)).catch(reportError)}
            >
              {isBusy ? 'Checking …' : 'Check again'}
              <span className="unseen"> {title}</span>
            </button>
            <button type="button" className="button small" onClick={() => connect(name, 'key')}>
              {provider.needsKey ? 'Change key' : 'Change address'}
              <span className="unseen"> of {title}</span>
            </button>
          </>
        ) : (
          <button type="button" className="button small" onClick={() => connect(name)}>
            Connect<span className="unseen"> {title}</span>
          </button>
        )}
        {isReady && models.length > 0 && (usual === null || providerOf(usual) !== name) && (
          <button type="button" className="button small" onClick={() => connect(name)}>
            Use as default<span className="unseen">: a model of {title}</span>
          </button>
        )}
        {provider.isRemovable && (
          <button type="button" className="button small" onClick={() => setAsking(true)}>
            Disconnect<span className="unseen"> {title}</span>
          </button>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Disconnect ${title}?`}
          text={`The key and address saved for ${title} are deleted. Chats stay; agents that use its models cannot answer until it is connected again.`}
          action="Disconnect"
          onConfirm={() => run(providers.disconnect(name)).catch(reportError)}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}
