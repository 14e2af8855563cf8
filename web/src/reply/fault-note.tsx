// Says what went wrong in a turn.
import { Icon } from '../parts/icon.tsx'

type FaultNoteProps = {
  readonly words: string
  readonly detail: string | null
  /** What to do about it. */
  readonly remedy?: string | null
  readonly quiet: boolean
}

/** What went wrong, in words; a quiet one only says how it ended. */
export function FaultNote({ words, detail, remedy = null, quiet }: FaultNoteProps): React.ReactNode {
  return (
    <p className="fault" data-quiet={quiet}>
      <Icon name={quiet ? 'info' : 'alert'} />
      <span>
        <strong>{words}</strong>
        {remedy !== null && <span className="fault-remedy">{remedy}</span>}
        {detail !== null && detail !== '' && !quiet && <span className="fault-detail">{detail}</span>}
      </span>
    </p>
  )
}
