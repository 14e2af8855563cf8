// A link to the message at a seq.
import { lead } from '../parts/pointing.ts'
import { useBeside } from '../parts/use-beside.ts'
import { useStore } from '../store/use-store.ts'
import { sessionHash } from '../view/route.ts'

/** Leads to the message at a seq: beside the inspector if the transcript is in view, else instead of the inspector. */
export function JumpLink({ seq, children }: { readonly seq: number; readonly children: React.ReactNode }): React.ReactNode {
  const session = useStore(state => state.session)
  const isBeside = useBeside()
  return (
    <a
      className="link"
      href={sessionHash(session, seq)}
      onClick={event => {
        event.stopPropagation()
        if (!isBeside || event.ctrlKey || event.metaKey) return
        event.preventDefault()
        lead(seq)
      }}
    >
      {children}
    </a>
  )
}
