// Shows why a request failed.
import { useFrame } from '../parts/frame.ts'
import { Icon } from '../parts/icon.tsx'
import type { ApiProblem } from '../wire/problem.ts'
import { complaintsOf, elsewhere } from './complaints.ts'

type ProblemBoxProps = {
  readonly problem: ApiProblem
  /** The paths of fields that show their own errors. */
  readonly fields?: readonly string[]
  readonly onRetry?: () => void
}

/** Why something did not work. What a field shows beside itself is not said twice. */
export function ProblemBox({ problem, fields = [], onRetry }: ProblemBoxProps): React.ReactNode {
  const complaints = complaintsOf(problem)
  const more = elsewhere(complaints, fields)
  const { connect } = useFrame()
  return (
    <div className="problem-box" role="alert">
      <Icon name="alert" />
      <div className="problem-words">
        {complaints.length === 0 ? (
          <>
            <strong>{problem.title}</strong>
            {problem.detail !== '' && <p>{problem.detail}</p>}
          </>
        ) : (
          <>
            <strong>
              {complaints.length === 1 ? 'Something is not right yet' : `${complaints.length} things are not right yet`}
            </strong>
            {more.length < complaints.length && (
              <p>See the marked {complaints.length - more.length === 1 ? 'field' : 'fields'}.</p>
            )}
            {more.map(({ path, why }) => (
              <p key={`${path} ${why}`}>
                <code>{path}</code>: {why}
              </p>
            ))}
          </>
        )}
      </div>
      {problem.fault === 'unauthorized' && (
        <button type="button" className="button" onClick={() => connect(null)}>
          Connect a provider
        </button>
      )}
      {onRetry !== undefined && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
