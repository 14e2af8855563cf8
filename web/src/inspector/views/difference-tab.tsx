import { useLens } from '../../store/use-store.ts'
import type { Sent } from '../../wire/inspect-api.ts'
import { cacheWords } from '../../words/reasons.ts'
import { itemsOf } from '../items/groups.ts'
import { Trouble } from '../trouble.tsx'
import { useAsked } from '../use-asked.ts'
import { Changes } from './changes.tsx'
import { compared, signed } from './compare.ts'

/** What came and went since the request of the same voice before, and what that did to the cache. */
export function DifferenceTab({ session, sent }: { readonly session: string; readonly sent: Sent }): React.ReactNode {
  const lens = useLens()
  const { previous, receipt } = sent
  const what = previous === null ? null : `${session} ${previous.turn} ${previous.step}`
  const before = useAsked(what, () =>
    previous === null ? Promise.reject(new Error('nothing was before')) : lens.sent(session, previous.turn, previous.step),
  )
  if (previous === null) return <p className="look-note">This is the first request of this voice here.</p>
  if (before.problem !== null) return <Trouble problem={before.problem} />
  if (before.value === null || before.isStale) return <p className="look-note">Reading the one before …</p>
  const { same, come, gone, tokens } = compared(itemsOf(before.value), itemsOf(sent))
  return (
    <section className="difference" aria-label="Difference to the request before">
      <p className="look-note">
        <strong>{signed(tokens)} tokens</strong> to the request before: {come.length} came, {gone.length} went, {same} stayed the
        same.
      </p>
      {receipt.cache !== null && <p className="look-note">{cacheWords(receipt.cache)}.</p>}
      <Changes come={come} gone={gone} comeWords="Came" goneWords="Went" />
    </section>
  )
}
