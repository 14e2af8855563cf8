// A link to the message at a seq.

import { lead } from '../../parts/pointing.ts'
import { useBeside } from '../../parts/use-beside.ts'
import { useStore } from '../../store/use-store.ts'
import { sessionHash } from '../../view/route.ts'

type JumpLinkProps = { readonly seq: number; readonly className?: string; readonly children: React.ReactNode }

/** Leads to the message at a seq: beside the inspector if the transcript is in view, else instead of the inspector. */
export function JumpLink({ seq, className = 'link', children }: JumpLinkProps): React.ReactNode {
  const session = useStore(state => state.session)
  const isBeside = useBeside()
  const address = sessionHash(session, seq)
  return (
    <a
      className={className}
      href={address}
      onClick={event => {
        event.stopPropagation()
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        // An address that does not change leads nowhere a second time.
        if (!isBeside && location.hash !== address) return
        event.preventDefault()
        lead(seq)
      }}
    >
      {children}
    </a>
  )
}
