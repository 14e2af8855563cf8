// Scrolls to the row that the address or a link names.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useLed } from '../../parts/pointing.ts'
import { useStore } from '../../store/use-store.ts'
import { type TranscriptRowData, transcriptRowAt } from '../rows.ts'
import type { Stick } from '../use-stick.ts'

/** Where a link led the reader; each new jump to the same row has a new number. */
export type Target = { readonly row: string; readonly times: number }

type JumpNeeds = {
  readonly rows: readonly TranscriptRowData[]
  readonly list: RefObject<VirtualizerHandle | null>
  readonly stick: Pick<Stick, 'show' | 'isShown' | 'toEnd' | 'leadToEnd'>
}

/** Where a place is among the rows there are now. */
type Find = (rows: readonly TranscriptRowData[]) => number

export type Jump = {
  readonly target: Target | null
  readonly jump: (row: string, focus?: boolean) => void
  /** There is more in the list, or it was measured: brings the place the reader was shown to where it belongs, if it could not yet. */
  readonly reach: () => void
}

/** Keeps a little of the row above in view. */
const ABOVE_PX = -24

/** Scrolls to one row: as soon as it is there if the address names it, or at once if the person asked. */
export function useJump({ rows, list, stick: { show, isShown, toEnd, leadToEnd } }: JumpNeeds): Jump {
  const route = useStore(state => state.route)
  const session = useStore(state => state.session)
  const cursor = useStore(state => state.view.cursor)
  const [target, setTarget] = useState<Target | null>(null)
  const latest = useRef(rows)
  const followed = useRef<unknown>(null)
  /** A row that the list cannot scroll to its place yet, because too little is below it so far. */
  const unreached = useRef<Find | null>(null)
  latest.current = rows

  const bring = useCallback(
    (find: Find) => {
      const handle = list.current
      const index = find(latest.current)
      if (handle === null || index === -1) return
      const lowest = handle.scrollSize - handle.viewportSize
      unreached.current = handle.getItemOffset(index) + ABOVE_PX > lowest ? find : null
      handle.scrollToIndex(index, { align: 'start', offset: ABOVE_PX })
    },
    [list],
  )
  const goTo = useCallback(
    (find: Find, focus: boolean) => {
      const row = latest.current[find(latest.current)]
      if (row === undefined) return
      show()
      bring(find)
      if (focus) setTarget(before => ({ row: row.key, times: (before?.times ?? 0) + 1 }))
    },
    [show, bring],
  )
  const jump = useCallback((key: string, focus = true) => goTo(among => among.findIndex(row => row.key === key), focus), [goTo])

  // A long conversation comes in pieces. One that ends just below the place leaves no room to bring it to the top; the next does.
  const reach = useCallback(() => {
    const find = unreached.current
    if (find === null) return
    if (isShown()) bring(find)
    else unreached.current = null
  }, [isShown, bring])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows
  useLayoutEffect(reach, [rows, reach])

  const wanted = route.page === 'chat' && route.session === session ? route.seq : null
  useEffect(() => {
    if (wanted === null || followed.current === route || cursor < wanted) return
    followed.current = route
    goTo(among => transcriptRowAt(among, wanted), true)
  }, [wanted, route, cursor, goTo])

  // The inspector leads here; what it asked before this was drawn is over.
  const led = useLed()
  const heeded = useRef(led)
  useEffect(() => {
    if (led === null || heeded.current === led) return
    heeded.current = led
    goTo(among => transcriptRowAt(among, led.seq), true)
  }, [led, goTo])

  // A new message is read with what follows it. Where the address leads to an older one, what comes may as well be the past, however
  // young; there only what this page said itself goes to the end.
  const last = rows.findLast(row => row.kind === 'message')?.seq
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when there is another message
  useEffect(() => {
    if (last !== undefined && wanted === null) toEnd()
  }, [last, toEnd])
  const spoke = useStore(state => state.spoke)
  const spokeBefore = useRef(spoke)
  useEffect(() => {
    if (spokeBefore.current === spoke) return
    spokeBefore.current = spoke
    unreached.current = null
    // The list may still be on its way to the place that the address names.
    if (wanted === null) toEnd()
    else leadToEnd()
  }, [spoke, wanted, toEnd, leadToEnd])

  return { target, jump, reach }
}
