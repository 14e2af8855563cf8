// The things that can be connected, as buttons, and the card of the first run that offers them.
import type { ProviderList } from '../../../src/model/connectable-providers.ts'
import { useFrame } from '../parts/frame.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useWorkspaceChanges } from '../parts/use-workspace-lists.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import { foundWords } from '../words/provider-words.ts'
import { type ConnectTarget, connectTargets, OTHER_SERVER } from './targets.ts'

type ConnectChoicesProps = {
  /** Null until it was read; the buttons are there at once. */
  readonly listed: ProviderList | null
  readonly onChoose: (name: string) => void
}

/** Services that need a key, then servers of one's own. */
export function ConnectChoices({ listed, onChoose }: ConnectChoicesProps): React.ReactNode {
  const { hosted, local } = connectTargets(listed)
  return (
    <>
      <Choices title="With a key" targets={hosted} onChoose={onChoose} />
      <Choices title="On your own computer" targets={local} onChoose={onChoose} />
    </>
  )
}

type ChoicesProps = {
  readonly title: string
  readonly targets: readonly ConnectTarget[]
  readonly onChoose: (name: string) => void
}

function Choices({ title, targets, onChoose }: ChoicesProps): React.ReactNode {
  return (
    <div className="connect-group">
      <h3>{title}</h3>
      <ul className="connect-choices">
        {targets.map(target => (
          <li key={target.name}>
            <button
              type="button"
              className="connect-choice"
              data-state={target.provider?.state ?? 'unchecked'}
              onClick={() => onChoose(target.name)}
            >
              <span className="connect-title">{target.title}</span>
              <span className="connect-words">{wordsOf(target)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function wordsOf({ name, provider, baseURL, needsKey }: ConnectTarget): string {
  const found = provider === null ? '' : foundWords(provider)
  if (found !== '') return found
  if (name === OTHER_SERVER) return 'Any compatible address'
  return needsKey ? 'Paste a key' : hostIn(baseURL)
}

/** Where it runs; the path of its API says nothing to a person. */
const hostIn = (address: string): string => (URL.canParse(address) ? new URL(address).host : address)

/** Says that the demo is a script, and offers models that answer. */
export function ConnectCard(): React.ReactNode {
  const { connect } = useFrame()
  const { value, reload } = useLoaded('providers', useWorkspaceApi().providers.list)
  useWorkspaceChanges(reload)
  return (
    <section className="connect-card" aria-labelledby="connect-card">
      <h3 id="connect-card" className="connect-head">
        You are talking to a demo
      </h3>
      <p>The demo is a script that runs here and needs nothing. Connect a model to get real answers.</p>
      <ConnectChoices listed={value} onChoose={connect} />
    </section>
  )
}
