// Shows a request as it was sent beside what it would be.
import { useInspectApi, useStore } from '../../store/use-store.ts'
import type { InspectedDryRun, InspectedSent } from '../../wire/inspect-api.ts'
import { dollarRange, dollars, percentWords } from '../../words/amounts.ts'
import { ladderWords } from '../../words/reasons.ts'
import { formatCount } from '../../words/words.ts'
import { WindowBar } from '../bar.tsx'
import { stepIn } from '../figures.ts'
import { cachedIn, filledBy } from '../items/filled.ts'
import { listedItems } from '../items/groups.ts'
import { useInspectorQuery } from '../use-asked.ts'
import { Changes } from './changes.tsx'
import { cacheAfter, cacheEffect, compared, signedCount } from './compare.ts'

type SideBySideProps = {
  readonly session: string
  readonly turn: string
  readonly sent: InspectedSent
  readonly would: InspectedDryRun
}

/** As it was sent, and as it would be. */
export function RequestsSideBySide({ session, turn, sent, would }: SideBySideProps): React.ReactNode {
  const inspectApi = useInspectApi()
  const usage = useStore(state => stepIn(state.view.entries, turn, 1)?.usage ?? null)
  const { previous } = sent
  const before = useInspectorQuery(previous === null ? null : `${session} ${previous.turn} ${previous.step}`, () =>
    previous === null ? Promise.reject(new Error('nothing was before')) : inspectApi.sent(session, previous.turn, previous.step),
  )
  const items = previous === null || before.value === null ? null : listedItems(before.value)
  const [asSent, wouldBe] = [listedItems(sent), listedItems(would)]
  const caches = { sent: cacheAfter(items, asSent), would: cacheAfter(items, wouldBe) }
  const { come, gone, same, tokens } = compared(sent, would)
  const gaveWay = ladderWords(would.receipt.ladder)
  const [one, other] = [sent.receipt, would.receipt]
  return (
    <>
      <table className="side-by-side">
        <thead>
          <tr>
            <td />
            <th scope="col">As sent</th>
            <th scope="col">As it would be</th>
          </tr>
        </thead>
        <tbody>
          <Line name="Policy" sent={one.policy} would={other.policy} />
          <Line name="Model" sent={one.model} would={other.model} />
          <Line
            name="Tokens"
            sent={formatCount(one.tokens.estimated)}
            would={`${formatCount(one.tokens.estimated + tokens)} (${signedCount(tokens)})`}
          />
          <Line name="Items" sent={formatCount(asSent.length)} would={formatCount(wouldBe.length)} />
          <Line
            name="Cost"
            sent={usage === null ? '–' : dollars(usage.costUsd ?? null)}
            would={would.cost === null ? '–' : dollarRange(would.cost.leastUsd, would.cost.mostUsd)}
          />
          <Line name="Cache" sent={shareOf(caches.sent)} would={shareOf(caches.would)} />
        </tbody>
      </table>
      <WindowBar
        filled={filledBy(other, cachedIn({ ...other, cache: caches.would }))}
        lit={null}
        onLight={() => {}}
        name="What would fill the window"
      />
      <p className="look-note">
        {come.length + gone.length === 0
          ? 'Nothing added or removed.'
          : `${formatCount(come.length)} added, ${formatCount(gone.length)} removed, ${formatCount(same)} unchanged (${signedCount(tokens)} tokens).`}{' '}
        {previous !== null && before.value === null ? '' : cacheEffect(caches.sent, caches.would)}
        {gaveWay !== null && ` ${gaveWay}.`}
      </p>
      <Changes come={come} gone={gone} comeWords="Would come" goneWords="Would go" />
    </>
  )
}

const shareOf = (cache: ReturnType<typeof cacheAfter>): string => (cache === null ? '–' : percentWords(cache.stableShare))

function Line({ name, sent, would }: { readonly name: string; readonly sent: string; readonly would: string }): React.ReactNode {
  return (
    <tr data-differs={sent !== would}>
      <th scope="row">{name}</th>
      <td>{sent}</td>
      <td>{would}</td>
    </tr>
  )
}
