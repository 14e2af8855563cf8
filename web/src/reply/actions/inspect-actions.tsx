// The buttons that open the inspector for a reply or a message.
import { useStore } from '../../store/use-store.ts'
import { lookHash } from '../../view/route.ts'
import { ActionButton } from './action-bar.tsx'

/** Opens the account of what a reply had before it, item by item. */
export function InspectAction({ turn }: { readonly turn: string }): React.ReactNode {
  const session = useStore(state => state.session)
  if (session === null) return null
  const open = (): void => {
    location.hash = lookHash(session, { turn, step: null })
  }
  return <ActionButton icon="inspectApi" label="Inspect what was sent for this reply" onPress={open} />
}

/** Opens the requests with and without a message; an unfinished reply was in none. */
export function PresenceAction({ seq }: { readonly seq: number | null }): React.ReactNode {
  const session = useStore(state => state.session)
  if (session === null || seq === null) return null
  const open = (): void => {
    location.hash = lookHash(session, { message: seq })
  }
  return <ActionButton icon="strip" label="Where was this used?" onPress={open} />
}

/** The same from beside a receipt. */
export function InspectLink({ turn, step }: { readonly turn: string; readonly step: number }): React.ReactNode {
  const session = useStore(state => state.session)
  if (session === null) return null
  return (
    <a className="link inspect-link" href={lookHash(session, { turn, step })}>
      Inspect
    </a>
  )
}
