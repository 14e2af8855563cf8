// Shown instead of a conversation that cannot be loaded.
import { useActions } from '../store/use-store.ts'
import { sessionHash } from '../view/route.ts'
import type { ApiProblem } from '../wire/problem.ts'

/** In place of a conversation that cannot be shown. */
export function Missing({ problem }: { readonly problem: ApiProblem }): React.ReactNode {
  const { retry } = useActions()
  const gone = problem.status === 404
  return (
    <section className="missing" role="alert">
      <h2>{gone ? 'This conversation is not here' : problem.title}</h2>
      <p>{gone ? 'It may have been deleted, or the address is not complete.' : problem.detail}</p>
      <p className="missing-actions">
        {!gone && (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        )}
        <a className="button" href={sessionHash(null)}>
          Start a new one
        </a>
      </p>
    </section>
  )
}
