// The conversation as a list of rows; only rows near the view are drawn.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { RoundActions } from '../council/round-actions.tsx'
import { Icon } from '../parts/icon.tsx'
import { useSetting, useStore } from '../store/use-store.ts'
import { lookHash } from '../view/route.ts'
import type { ViewEntry } from '../view/view.ts'
import { FindBar } from './find/find-bar.tsx'
import { useJump } from './find/use-jump.ts'
import { type PlacedFolds, placedFolds } from './folds/placed-folds.ts'
import { Missing } from './missing.tsx'
import { ReadingContext } from './reading.ts'
import { boundaryRow, countReplies, type TranscriptRowData, transcriptRowAt, transcriptRows } from './rows.ts'
import { TranscriptRow } from './transcript-row.tsx'
import { useStick } from './use-stick.ts'
import { versionsOf } from './versions.ts'
import { Welcome } from './welcome.tsx'

/** Drawn beyond the window, so that quick scrolling does not show nothing. */
const BUFFER_PX = 600

/** The conversation in order. Its end stays in view while the reader is there, and only rows near the view are drawn. */
export function TranscriptView(): React.ReactNode {
  const session = useStore(state => state.session)
  const view = useStore(state => state.view)
  const link = useStore(state => state.link)
  const isCouncil = useStore(state => (state.about?.council ?? null) !== null)
  const { entries, boundary, running } = view
  const rows = useRows(entries, isCouncil)
  const list = useRef<VirtualizerHandle>(null)
  const isHeld = useSetting('reading') === 'stay' && running.length > 0
  const stick = useStick(session, isHeld)
  const { scroller, content, away, toEnd, show, settle } = stick
  const { target, jump, reach } = useJump({ rows, list, stick })
  const editing = useStore(state => state.editing)
  const [focused, setFocused] = useState<string | null>(null)
  const versions = useVersions(rows)
  const folds = useFolds(rows)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the person begins to reword
  useEffect(() => {
    const row = editing === null ? undefined : rows[transcriptRowAt(rows, editing)]
    if (row !== undefined) jump(row.key, false)
  }, [editing])

  useLayoutEffect(() => {
    if (rows.length > 0) settle()
  }, [rows, settle])

  const line = useMemo(() => boundaryRow(rows, boundary), [rows, boundary])
  // A row that the person works in stays drawn, even when they scroll away.
  const kept = useMemo(
    () =>
      focused === null && target === null && editing === null
        ? []
        : rows.flatMap(({ key, kind, seq }, index) =>
            key === focused || key === target?.row || (kind === 'message' && seq === editing) ? [index] : [],
          ),
    [rows, focused, target, editing],
  )
  const missing = link?.state === 'refused' && link.problem.status !== 401 ? link.problem : null
  const replies = useMemo(() => countReplies(entries), [entries])
  const reading = useMemo(() => ({ jump }), [jump])

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const turn = inspectedBy(event)
    if (turn !== null && session !== null) {
      event.preventDefault()
      location.hash = lookHash(session, { turn, step: null })
      return
    }
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key !== 'Home' && event.key !== 'End') return
    event.preventDefault()
    if (event.key === 'End') toEnd()
    else {
      show()
      list.current?.scrollToIndex(0)
    }
  }

  return (
    <ReadingContext value={reading}>
      <div className="transcript">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable to be scrolled by keys */}
        <section className="scroller" ref={scroller} tabIndex={0} aria-label="Conversation" onKeyDown={onKeyDown}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: it only listens to where the focus goes */}
          <div
            className="entries"
            ref={content}
            data-replies={replies}
            data-running={running.length}
            data-rows={rows.length}
            onFocus={event => setFocused(event.target.closest<HTMLElement>('.passage')?.dataset.row ?? null)}
            onBlur={() => setFocused(null)}
          >
            <div className="beside-rows">
              {missing !== null && <Missing problem={missing} />}
              {session === null && <Welcome />}
            </div>
            <Virtualizer
              key={session}
              ref={list}
              scrollRef={scroller}
              as={List}
              data={rows}
              bufferSize={BUFFER_PX}
              keepMounted={kept}
              onResize={() => {
                settle()
                reach()
              }}
            >
              {(row: TranscriptRowData, index: number) => (
                <TranscriptRow
                  key={row.key}
                  row={row}
                  boundary={index === line ? boundary : null}
                  versions={versions.get(row.seq) ?? null}
                  folds={folds.get(index) ?? null}
                  found={target?.row === row.key ? target.times : 0}
                />
              )}
            </Virtualizer>
            <div className="beside-rows">
              <RoundActions />
            </div>
          </div>
        </section>
        <FindBar rows={rows} scroller={scroller} />
        {away && session !== null && (
          <button type="button" className="to-end" onClick={toEnd}>
            <Icon name="down" />
            Latest
          </button>
        )}
      </div>
    </ReadingContext>
  )
}

/** The turn of the reply in which the person presses i; null while they write or use another shortcut. */
function inspectedBy(event: React.KeyboardEvent): string | null {
  if (event.key !== 'i' || event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return null
  const { target } = event
  if (!(target instanceof HTMLElement) || target.closest('input, textarea, select') !== null) return null
  return target.closest<HTMLElement>('[data-turn]')?.dataset.turn ?? null
}

/** The list's own box; its content stays clickable while it scrolls, as it does whenever a voice speaks. */
function List({ style, children, ref }: React.ComponentProps<'div'>): React.ReactNode {
  const { pointerEvents: _, ...rest } = style ?? {}
  return (
    <div ref={ref} style={rest}>
      {children}
    </div>
  )
}

function useRows(entries: readonly ViewEntry[], isCouncil: boolean): readonly TranscriptRowData[] {
  const before = useRef<readonly TranscriptRowData[]>([])
  const rows = useMemo(() => transcriptRows(entries, isCouncil, before.current), [entries, isCouncil])
  useEffect(() => {
    before.current = rows
  }, [rows])
  return rows
}

/** The starts of rows change only when rows are added. */
function useVersions(rows: readonly TranscriptRowData[]): ReturnType<typeof versionsOf> {
  const session = useStore(state => state.session)
  const family = useStore(state => state.family)
  const many = rows.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(
    () =>
      versionsOf(
        family,
        session ?? '',
        rows.map(({ seq }) => seq),
      ),
    [family, session, many],
  )
}

/** Where summaries belong; that changes only with them, and when rows are added. */
function useFolds(rows: readonly TranscriptRowData[]): ReadonlyMap<number, PlacedFolds> {
  const entries = useStore(state => state.view.entries)
  const folds = useStore(state => state.view.folds)
  const many = rows.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo(() => placedFolds(rows, entries, folds), [folds, many])
}
