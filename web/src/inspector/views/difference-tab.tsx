// What changed since the voice's previous request, and what that did to the cache.
import { useInspectApi } from '../../store/use-store.ts'
import type { InspectedSent } from '../../wire/inspect-api.ts'
import { cacheWords } from '../../words/reasons.ts'
import { InspectorProblem } from '../trouble.tsx'
import { useInspectorQuery } from '../use-asked.ts'
import { Changes } from './changes.tsx'
import { compared, signedCount } from './compare.ts'

/** What came and went since the request of the same voice before, and what that did to the cache. */
export function DifferenceTab({ session, sent }: { readonly session: string; readonly sent: InspectedSent }): React.ReactNode {
  const inspectApi = useInspectApi()
  const { previous, receipt } = sent
  const what = previous === null ? null : `${session} ${previous.turn} ${previous.step}`
  const before = useInspectorQuery(what, () =>
    previous === null ? Promise.reject(new Error('nothing was before')) : inspectApi.sent(session, previous.turn, previous.step),
  )
  if (previous === null) return <p className="look-note">This is the first request of this voice here.</p>
  if (before.problem !== null) return <InspectorProblem problem={before.problem} />
  if (before.value === null || before.isStale) return <p className="look-note">Reading the one before …</p>
  const { same, come, gone, tokens } = compared(before.value, sent)
  return (
    <section className="difference" aria-label="Difference to the request before">
      <p className="look-note">
        <strong>{signedCount(tokens)} tokens</strong> to the request before: {come.length} came, {gone.length} went, {same} stayed
        the same.
      </p>
      {receipt.cache !== null && <p className="look-note">{cacheWords(receipt.cache)}.</p>}
      <Changes come={come} gone={gone} comeWords="Came" goneWords="Went" />
    </section>
  )
}
