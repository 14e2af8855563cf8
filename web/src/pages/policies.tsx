// The page that lists the policies.
import type { Fate } from '../../../src/context/window/window-kind.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import { hashOf } from '../view/route.ts'
import { together } from '../wire/together.ts'
import { policyWords, stripOf } from '../words/policy-words.ts'
import { PolicyComparison } from './bench/bench.tsx'
import { PageHead } from './page-head.tsx'
import { Read } from './read.tsx'
import { Snippet } from './snippet.tsx'

/** How voices may look at a conversation. */
export function PoliciesPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded('policies', () => together({ policies: workspaceApi.policies(), agents: workspaceApi.agents() }))
  return (
    <>
      <PageHead intro="A policy says what of a long conversation a voice gets to see. What it leaves out stays in the conversation, and every receipt says so." />
      <Read from={loaded} what="policies">
        {({ policies, agents }) => (
          <>
            <StripLegend />
            <ul className="cards">
              {policies.items.map(policy => (
                <PolicyCard
                  key={policy.name}
                  policy={policy}
                  isUsual={policy.name === policies.default}
                  agents={agents.items.filter(agent => agent.policy === policy.name)}
                />
              ))}
            </ul>
            <PolicyComparison />
            <section className="page-part">
              <h2>Your own</h2>
              <p className="page-note">
                A policy of your own extends another one; what it does not say stays as it is there. Name it under{' '}
                <code>policies</code>, and as <code>policy</code> to have it everywhere.
              </p>
              <Snippet where="In turnwise.json" text={SNIPPET} />
            </section>
          </>
        )}
      </Read>
    </>
  )
}

const SNIPPET = `{
  "policy": "short",
  "policies": {
    "short": { "extends": "steady", "budget": { "tokens": 8000 } },
    "five": { "extends": "recent", "window": { "kind": "last", "messages": 5 } }
  }
}`

type PolicyCardProps = {
  readonly policy: Policy
  readonly isUsual: boolean
  readonly agents: readonly { readonly key: string; readonly name: string }[]
}

function PolicyCard({ policy, isUsual, agents }: PolicyCardProps): React.ReactNode {
  return (
    <li className="card">
      <div className="row-head">
        <h2>{policy.name}</h2>
        {isUsual && <span className="chip">the usual one</span>}
      </div>
      <Strip policy={policy} />
      <p className="card-about">{policyWords(policy)}</p>
      {agents.length > 0 && (
        <p className="card-facts">
          <span>Used by</span>
          {agents.map(({ key, name }) => (
            <a key={key} className="link" href={hashOf({ page: 'agents', key })}>
              {name}
            </a>
          ))}
        </p>
      )}
      <details className="fold">
        <summary>
          As JSON<span className="unseen">: {policy.name}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways can be reached by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(policy, null, 2)}</pre>
      </details>
    </li>
  )
}

/** A long conversation, message by message; the sentence below says the same. */
function Strip({ policy }: { readonly policy: Policy }): React.ReactNode {
  return (
    <div className="strip" aria-hidden="true">
      {stripOf(policy.window).map((fate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of an example never move
        <span key={index} className="strip-cell" data-fate={fate} />
      ))}
    </div>
  )
}

const FATES: readonly (readonly [Fate, string])[] = [
  ['kept', 'sent'],
  ['sometimes', 'sent until the next drop'],
  ['note', 'a note instead'],
  ['out', 'not sent'],
  ['new', 'the new message'],
]

function StripLegend(): React.ReactNode {
  return (
    <p className="strip-legend" aria-hidden="true">
      A conversation of forty messages:
      {FATES.map(([fate, words]) => (
        <span key={fate}>
          <span className="strip-cell" data-fate={fate} />
          {words}
        </span>
      ))}
    </p>
  )
}
