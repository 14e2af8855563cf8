// The line under the newest reply of the demo.
import { useFrame } from '../parts/frame.ts'
import { useStore } from '../store/use-store.ts'
import type { ReplyEntry } from '../view/view.ts'

/** Says that the demo answered, with the way to a real model; once is enough, so only under the newest reply. */
export function DemoLine({ entry: { turn, steps } }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { connect } = useFrame()
  const isNewest = useStore(state => state.view.entries.findLast(({ kind }) => kind === 'reply'))
  const isDemo = steps.findLast(({ receipt }) => receipt !== null)?.receipt?.model === 'demo'
  if (!isDemo || isNewest?.kind !== 'reply' || isNewest.turn !== turn) return null
  return (
    <p className="demo-line">
      This is the demo.
      <button type="button" className="link" onClick={() => connect(null)}>
        Connect a model
      </button>
    </p>
  )
}
