// Says why the inspector has nothing to show.
import { FaultNote } from '../reply/fault-note.tsx'
import type { ApiProblem } from '../wire/problem.ts'

/** Why there is nothing to look at. */
export function InspectorProblem({ problem }: { readonly problem: ApiProblem }): React.ReactNode {
  return (
    <div className="look-trouble" role="alert">
      <FaultNote words={problem.title} detail={problem.detail} quiet={false} />
    </div>
  )
}
