// The card of the first run: says that the demo is a script, and offers models that answer.
import { useFrame } from '../parts/frame.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useWorkspaceChanges } from '../parts/use-workspace-lists.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import { ConnectChoices } from './connect-choices.tsx'

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
