// The page that lists the policies.
import { useState } from 'react'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { ConfirmDialog } from '../../form/confirm-dialog.tsx'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { together } from '../../wire/together.ts'
import { policyWords, stripOf } from '../../words/policy-words.ts'
import { freeKey } from '../agents/agent-key.ts'
import { PolicyComparison } from '../bench/bench.tsx'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { isPreset } from './policy-form.ts'
import { PolicyStrip, StripLegend } from './policy-strip.tsx'

const toPolicy = (name: string): string => hashOf({ page: 'policies', key: name })

/** What of a long chat can be sent, and which way is the default. */
export function PoliciesPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded('policies', () => together({ policies: workspaceApi.policies(), agents: workspaceApi.agents() }))
  const settings = useSettings(loaded.reload)
  const [leaving, setLeaving] = useState<string | null>(null)
  return (
    <>
      <PageHead intro="A policy decides what of a long chat is sent with each message. What it leaves out stays in the chat, and every receipt says so." />
      <Read from={settings.loaded} what="policies">
        {tree => {
          const { change, problem, isSaving } = settings.editingOf(tree)
          return (
            <>
              {problem !== null && <ProblemBox problem={problem} />}
              <Read from={loaded} what="policies">
                {({ policies, agents }) => {
                  const create = async (from: string): Promise<void> => {
                    const name = freeKey(
                      isPreset(from) ? `my-${from}` : from,
                      policies.items.map(policy => policy.name),
                    )
                    if (await change({ policies: { [name]: { extends: from } } })) location.hash = toPolicy(name)
                  }
                  return (
                    <>
                      <StripLegend messages={40} />
                      <ul className="cards">
                        {policies.items.map(policy => (
                          <PolicyCard
                            key={policy.name}
                            policy={policy}
                            isUsual={policy.name === policies.default}
                            isSaving={isSaving}
                            agents={agents.items.filter(agent => agent.policy === policy.name)}
                            onUsual={() => change({ policy: policy.name }).catch(reportError)}
                            onCopy={() => create(policy.name).catch(reportError)}
                            onDelete={() => setLeaving(policy.name)}
                          />
                        ))}
                      </ul>
                      {leaving !== null && (
                        <ConfirmDialog
                          title={`Delete “${leaving}”?`}
                          text="It’s removed from turnwise.json. Chats that use it switch to the default policy. Policies used by an agent can’t be deleted."
                          action="Delete"
                          onConfirm={() => change({ policies: { [leaving]: null } }).catch(reportError)}
                          onClose={() => setLeaving(null)}
                        />
                      )}
                    </>
                  )
                }}
              </Read>
            </>
          )
        }}
      </Read>
      <PolicyComparison />
    </>
  )
}

type PolicyCardProps = {
  readonly policy: Policy
  readonly isUsual: boolean
  readonly isSaving: boolean
  readonly agents: readonly { readonly key: string; readonly name: string }[]
  readonly onUsual: () => void
  readonly onCopy: () => void
  readonly onDelete: () => void
}

function PolicyCard({ policy, isUsual, isSaving, agents, onUsual, onCopy, onDelete }: PolicyCardProps): React.ReactNode {
  const { name } = policy
  const isOwn = !isPreset(name)
  const of = <span className="unseen">: {name}</span>
  return (
    <li className="card" data-policy={name}>
      <div className="row-head">
        <h2>
          {isOwn ? (
            <a className="card-link" href={toPolicy(name)}>
              {name}
            </a>
          ) : (
            name
          )}
        </h2>
        {isUsual && (
          <span className="chip" data-kind="ready">
            Default
          </span>
        )}
        {isOwn && <span className="chip">Yours</span>}
      </div>
      <PolicyStrip fates={stripOf(policy.window)} />
      <p className="card-about">{policyWords(policy)}</p>
      {agents.length > 0 && (
        <p className="card-facts">
          <span>Used by</span>
          {agents.map(({ key, name: called }) => (
            <a key={key} className="link" href={hashOf({ page: 'agents', key })}>
              {called}
            </a>
          ))}
        </p>
      )}
      <details className="fold">
        <summary>As JSON{of}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(policy, null, 2)}</pre>
      </details>
      <div className="card-actions">
        {isOwn && (
          <a className="text-button" href={toPolicy(name)}>
            Edit{of}
          </a>
        )}
        <button type="button" className="text-button" disabled={isSaving} onClick={onCopy}>
          Copy{of}
        </button>
        {!isUsual && (
          <button type="button" className="text-button" disabled={isSaving} onClick={onUsual}>
            Make default{of}
          </button>
        )}
        {isOwn && !isUsual && (
          <button type="button" className="text-button danger-words" onClick={onDelete}>
            Delete …{of}
          </button>
        )}
      </div>
    </li>
  )
}
