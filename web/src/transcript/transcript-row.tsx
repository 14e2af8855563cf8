// Draws one row of the transcript.
import { memo, useEffect, useRef } from 'react'
import type { Exchange } from '../../../src/model/event.ts'
import { RoundGrid } from '../council/round-grid.tsx'
import { ActionBar, ActionButton } from '../reply/actions/action-bar.tsx'
import { LinkAction } from '../reply/actions/mark-actions.tsx'
import { ReplyView } from '../reply/reply.tsx'
import { WindowActions } from '../reply/window-actions.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { MessageEntry, Boundary as Place } from '../view/view.ts'
import { leftWords } from '../words/reasons.ts'
import { FoldLines } from './folds/fold-lines.tsx'
import type { PlacedFolds } from './folds/placed-folds.ts'
import { MessageView } from './message.tsx'
import type { TranscriptRowData } from './rows.ts'
import { VersionArrows } from './version-arrows.tsx'
import type { Versions } from './versions.ts'

type TranscriptRowProps = {
  readonly row: TranscriptRowData
  /** Given where the newest request begins to look. */
  readonly boundary: Place | null
  readonly versions: Versions | null
  /** The summaries whose stretch ends with this row. */
  readonly folds: PlacedFolds | null
  /** Above zero if a link led the reader here; each new jump has a new number. */
  readonly found: number
}

/** One row of the transcript, redrawn only when it changed. */
export const TranscriptRow: React.NamedExoticComponent<TranscriptRowProps> = memo(function TranscriptRow({
  row,
  boundary,
  versions,
  folds,
  found,
}: TranscriptRowProps) {
  const box = useFound(found)
  return (
    <div className="passage" ref={box} data-row={row.key} data-kind={row.kind}>
      {boundary !== null && <BoundaryLine boundary={boundary} />}
      <Shown row={row} />
      {versions !== null && <VersionArrows versions={versions} seq={row.seq} />}
      {folds !== null && <FoldLines placed={folds} />}
    </div>
  )
})

function Shown({ row }: { readonly row: TranscriptRowData }): React.ReactNode {
  switch (row.kind) {
    case 'message': {
      const { entry } = row
      return entry.exchange === undefined ? (
        <MessageView entry={entry} />
      ) : (
        <ExchangeLine entry={entry} exchange={entry.exchange} />
      )
    }
    case 'reply':
      return <ReplyView entry={row.entry} />
    case 'round':
      return (
        <>
          <RoundGrid replies={row.replies} />
          <RoundFoot row={row} />
        </>
      )
    case 'line':
      return <p className="line">One entry here can no longer be read ({row.entry.text}).</p>
  }
}

/** What can be done with a round as a whole: everybody is asked once more, in a version of its own. */
function RoundFoot({ row: { seq, replies } }: { readonly row: Extract<TranscriptRowData, { kind: 'round' }> }): React.ReactNode {
  const { askAgain } = useActions()
  const isBusy = useStore(state => state.view.running.length > 0)
  const cause = replies[0]?.cause ?? null
  if (cause === null || replies.some(({ end }) => end === null)) return null
  return (
    <div className="round-foot">
      <ActionBar label="This round">
        <ActionButton
          icon="again"
          label="Ask everybody again"
          isDisabled={isBusy}
          onPress={() => askAgain(cause).catch(reportError)}
        />
        <LinkAction seq={seq} />
      </ActionBar>
    </div>
  )
}

const MARKED_MS = 2600
/** How many frames a row may take until it is measured; before that it is hidden, and what is hidden takes no focus. */
const PATIENCE = 40

/** Marks the row for a moment and gives what is in it the focus, so that reading goes on from there. */
function useFound(times: number): React.RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const row = box.current
    if (row === null || times === 0) return
    const article = row.querySelector('article') ?? row
    article.tabIndex = -1
    let frames = 0
    let frame = 0
    const focus = (): void => {
      article.focus({ preventScroll: true })
      frames += 1
      if (document.activeElement !== article && frames < PATIENCE) frame = requestAnimationFrame(focus)
    }
    focus()
    row.dataset.found = 'true'
    const timer = setTimeout(() => delete row.dataset.found, MARKED_MS)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      delete row.dataset.found
    }
  }, [times])
  return box
}

type ExchangeLineProps = { readonly entry: MessageEntry; readonly exchange: Exchange }

/** Where advisors begin to answer each other; opens to the instruction they got. */
function ExchangeLine({ entry, exchange: { round, of } }: ExchangeLineProps): React.ReactNode {
  return (
    <details className="line">
      <summary>
        The advisors answer each other, round {round} of {of}
      </summary>
      <p className="said">{entry.text}</p>
    </details>
  )
}

/** Where the newest request begins to look: how much above it was not sent, and what can be done about that. */
function BoundaryLine({ boundary }: { readonly boundary: Place }): React.ReactNode {
  const { left, voice } = boundary
  const name = useStore(state => ((state.about?.council ?? null) === null ? null : shownVoiceName(state, { voice, name: null })))
  return (
    <div className="line boundary">
      <span className="boundary-words">{leftWords(left, name, boundary)}</span> <WindowActions boundary={boundary} />
    </div>
  )
}
