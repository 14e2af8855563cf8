// Arrows between the versions of a message.
import { Icon } from '../parts/icon.tsx'
import { sessionHash } from '../view/route.ts'
import type { Versions } from './versions.ts'

type VersionArrowsProps = {
  readonly versions: Versions
  /** Where the row with versions begins, in every version: after a change of version the reader still looks at this place. */
  readonly seq: number
}

/** Arrows to the other versions of what follows; each is a conversation of its own, with an address. */
export function VersionArrows({ versions: { index, sessions }, seq }: VersionArrowsProps): React.ReactNode {
  const many = sessions.length
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div className="versions" role="group" aria-label={`Version ${index + 1} of ${many}`}>
      <Arrow to={sessions[index - 1]} seq={seq} label="Previous version" icon="back" />
      <span aria-hidden="true">
        {index + 1}/{many}
      </span>
      <Arrow to={sessions[index + 1]} seq={seq} label="Next version" icon="chevron" />
    </div>
  )
}

type ArrowProps = {
  readonly to: string | undefined
  readonly seq: number
  readonly label: string
  readonly icon: 'back' | 'chevron'
}

function Arrow({ to, seq, label, icon }: ArrowProps): React.ReactNode {
  return (
    <button
      type="button"
      className="small-button"
      aria-label={label}
      title={label}
      disabled={to === undefined}
      onClick={() => {
        if (to !== undefined) location.hash = sessionHash(to, seq)
      }}
    >
      <Icon name={icon} />
    </button>
  )
}
