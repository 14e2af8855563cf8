import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useLed } from '../parts/pointing.ts'
import { useStore } from '../store/use-store.ts'
import { type Row, rowAt } from './rows.ts'

/** Where somebody was led; another time to the same row is another number. */
export type Target = { readonly row: string; readonly times: number }

type JumpNeeds = {
  readonly rows: readonly Row[]
  readonly list: RefObject<VirtualizerHandle | null>
  readonly leave: () => void
  readonly toEnd: () => void
}

export type Jump = { readonly target: Target | null; readonly jump: (row: string, focus?: boolean) => void }

/** A little of what stands above is left in sight. */
const ABOVE_PX = -24
/** A message that is younger than this was said just now. */
const JUST_NOW_MS = 15_000

/** Going to one row: because the address says so, as soon as it is there, or because somebody asked. */
export function useJump({ rows, list, leave, toEnd }: JumpNeeds): Jump {
  const route = useStore(state => state.route)
  const session = useStore(state => state.session)
  const cursor = useStore(state => state.view.cursor)
  const [target, setTarget] = useState<Target | null>(null)
  const latest = useRef(rows)
  const followed = useRef<unknown>(null)
  latest.current = rows

  const jump = useCallback(
    (row: string, focus = true) => {
      const index = latest.current.findIndex(({ key }) => key === row)
      if (index === -1) return
      leave()
      list.current?.scrollToIndex(index, { align: 'start', offset: ABOVE_PX })
      if (focus) setTarget(before => ({ row, times: (before?.times ?? 0) + 1 }))
    },
    [list, leave],
  )

  const wanted = route.page === 'chat' && route.session === session ? route.seq : null
  useEffect(() => {
    if (wanted === null || followed.current === route || cursor < wanted) return
    followed.current = route
    const row = latest.current[rowAt(latest.current, wanted)]
    if (row !== undefined) jump(row.key)
  }, [wanted, route, cursor, jump])

  // Somebody beside the transcript leads here; what was asked before it was drawn is over.
  const led = useLed()
  const heeded = useRef(led)
  useEffect(() => {
    if (led === null || heeded.current === led) return
    heeded.current = led
    const row = latest.current[rowAt(latest.current, led.seq)]
    if (row !== undefined) jump(row.key)
  }, [led, jump])

  const said = rows.findLast(row => row.kind === 'message')
  const isNews = said?.kind === 'message' && (wanted === null || Date.now() - Date.parse(said.entry.at) < JUST_NOW_MS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever says something wants to see it and what follows
  useEffect(() => {
    if (isNews) toEnd()
  }, [said?.seq, toEnd])

  return { target, jump }
}
