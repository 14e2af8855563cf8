// One request with its tabs.
import { useEffect, useState } from 'react'
import type { Slice } from '../../composer/ring/figures.ts'
import { useInspectApi, useStore } from '../../store/use-store.ts'
import type { InspectedSent } from '../../wire/inspect-api.ts'
import { WindowBar } from '../bar.tsx'
import { stepIn } from '../figures.ts'
import { goTo } from '../go-to.ts'
import { Head } from '../head.tsx'
import { cachedIn, filledBy } from '../items/filled.ts'
import { Items } from '../items/items.tsx'
import { type TabName, Tabs } from '../tabs.tsx'
import { InspectorProblem } from '../trouble.tsx'
import { useInspectorQuery } from '../use-asked.ts'
import { useLetters } from '../use-letters.ts'
import { DifferenceTab } from './difference-tab.tsx'
import { RequestTab } from './request-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import { WhatIfTab } from './what-if-tab.tsx'

type RequestViewProps = {
  readonly session: string
  readonly turn: string
  /** Null is the last of the turn. */
  readonly step: number | null
  readonly tab: TabName
  readonly onTab: (tab: TabName) => void
}

/** One request: what it was in figures, what filled it, and one thing about it at a time. */
export function RequestView({ session, turn, step, tab, onTab }: RequestViewProps): React.ReactNode {
  const inspectApi = useInspectApi()
  const known = useStore(state => stepIn(state.view.entries, turn, step))
  // What the provider counted comes with the reply, and changes what is shown.
  const what = `${session} ${turn} ${step} ${known?.state ?? ''}`
  const { value: sent, problem, isStale } = useInspectorQuery(what, () => inspectApi.sent(session, turn, step))
  const [lit, light] = useState<Slice | null>(null)
  const at = { turn, step: known?.step ?? step ?? sent?.steps ?? 1 }
  useWalking(session, isStale ? null : sent)
  useLetters(session, turn, onTab)
  if (sent === null) return problem === null ? <p className="look-waits">Reading …</p> : <InspectorProblem problem={problem} />
  const { receipt } = sent
  const usage = known?.usage ?? null
  const cached = cachedIn(receipt, usage)
  return (
    <div className="look" aria-busy={isStale}>
      <Head session={session} sent={sent} step={at.step} usage={usage} />
      <WindowBar filled={filledBy(receipt, cached)} lit={lit} onLight={light} />
      <Tabs tab={tab} onTab={onTab}>
        {tab === 'items' && <Items key={receipt.digest} sent={sent} cached={cached} lit={lit} onLight={light} />}
        {tab === 'request' && <RequestTab sent={sent} />}
        {tab === 'difference' && <DifferenceTab session={session} sent={sent} />}
        {tab === 'what-if' && <WhatIfTab key={turn} session={session} turn={turn} sent={sent} step={at.step} />}
        {tab === 'timeline' && <TimelineTab session={session} at={at} voice={receipt.voice} />}
      </Tabs>
    </div>
  )
}

/** Left and right go to the request before and after, unless something has the arrows for itself. */
function useWalking(session: string, sent: InspectedSent | null): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      if (!(target instanceof HTMLElement) || target.closest('.inspector') === null) return
      if (target.closest('input, select, textarea, pre, [role="tablist"], [role="treegrid"], [data-arrows]') !== null) return
      const to = event.key === 'ArrowLeft' ? sent?.previous : event.key === 'ArrowRight' ? sent?.next : null
      if (to == null) return
      event.preventDefault()
      goTo(session, to)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [session, sent])
}
