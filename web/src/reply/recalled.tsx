// The line above a reply that lists the earlier messages it was given.
import { useEffect, useId, useMemo, useState } from 'react'
import type { SourceChat } from '../../../src/model/recall.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { useActions, useInspectApi, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import {
  type ForeignQuote,
  firstReceipt,
  foreignQuote,
  type RecalledMessage,
  recalledLines,
  recalledMessages,
} from '../view/recalled.ts'
import { sessionHash } from '../view/route.ts'
import type { Step } from '../view/view.ts'
import { RECALL_FAILED, recalledWords } from '../words/reasons.ts'
import { calendarDay, excerpt } from '../words/words.ts'
import { JumpLink } from './actions/jump-link.tsx'
import { setOpen, useOpen } from './receipt/details.tsx'

type RecalledNoteProps = { readonly turn: string; readonly steps: readonly Step[] }

/** How many earlier messages the first request of a reply quoted, or why none could be looked up; nothing if it quoted none. */
export function RecalledNote({ turn, steps }: RecalledNoteProps): React.ReactNode {
  const receipt = firstReceipt(steps)
  if (receipt === null) return null
  const failed = receipt.recall?.failed
  if (failed !== undefined)
    return (
      <p className="recalled recalled-failed" title={failed}>
        {RECALL_FAILED}
        <span className="unseen">: {failed}</span>
      </p>
    )
  return recalledLines(receipt).length === 0 ? null : <RecalledLine turn={turn} receipt={receipt} />
}

type RecalledLineProps = { readonly turn: string; readonly receipt: Receipt }

function RecalledLine({ turn, receipt }: RecalledLineProps): React.ReactNode {
  const list = useId()
  const place = `recalled ${turn}`
  const isOpen = useOpen(place)
  return (
    <div className="recalled">
      <button
        type="button"
        className="recalled-line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? list : undefined}
        onClick={() => setOpen(place, !isOpen)}
      >
        {recalledWords(recalledLines(receipt).length)}
      </button>
      {isOpen && <RecalledList id={list} turn={turn} receipt={receipt} />}
    </div>
  )
}

function RecalledList({ id, turn, receipt }: RecalledLineProps & { readonly id: string }): React.ReactNode {
  const entries = useStore(state => state.view.entries)
  const messages = useMemo(() => recalledMessages(entries, receipt), [entries, receipt])
  const words = useForeignWords(
    turn,
    messages.some(({ chat }) => chat !== null),
  )
  return (
    <ul className="recalled-list" id={id} aria-label="Recalled messages">
      {messages.map(message =>
        message.chat === null ? (
          <RecalledRow key={message.seq} message={message} />
        ) : (
          <ForeignRow
            key={`${message.chat.session} ${message.seq}`}
            seq={message.seq}
            chat={message.chat}
            quote={foreignQuote(words.get(`${message.chat.session} ${message.seq}`) ?? '', message.chat.title)}
          />
        ),
      )}
    </ul>
  )
}

/** What the request has from other chats, by chat and seq; this conversation does not have those words itself. */
function useForeignWords(turn: string, isWanted: boolean): ReadonlyMap<string, string> {
  const inspectApi = useInspectApi()
  const session = useStore(state => state.session)
  const [words, setWords] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    if (!isWanted || session === null) return
    let isShown = true
    inspectApi
      .sent(session, turn, 1)
      .then(sent => {
        if (!isShown || !sent.ok) return
        const quotes = (sent.value.items ?? []).filter(({ kind }) => kind === 'recall')
        setWords(new Map(quotes.map(({ session: from, from: seq, text }) => [`${from} ${seq}`, text])))
      })
      .catch(reportError)
    return () => {
      isShown = false
    }
  }, [inspectApi, session, turn, isWanted])
  return words
}

type ForeignRowProps = { readonly seq: number; readonly chat: SourceChat; readonly quote: ForeignQuote | null }

/** A message of another chat: its day, its chat and the words, and the way there. */
function ForeignRow({ seq, chat, quote }: ForeignRowProps): React.ReactNode {
  return (
    <li className="recalled-row">
      <a className="recalled-link" href={sessionHash(chat.session, seq)}>
        <span className="recalled-who">
          {quote !== null && (
            <>
              <time dateTime={quote.day}>{calendarDay(`${quote.day}T12:00:00`)}</time> ·{' '}
            </>
          )}
          {chat.title}
          {quote !== null && quote.who !== '' && ` · ${quote.who}`}
          <span className="unseen">: </span>
        </span>{' '}
        {quote !== null && <span className="recalled-words">{excerpt(quote.words)}</span>}
      </a>
    </li>
  )
}

/** One quoted message: leads to where it stands, and can be excluded from later requests. */
function RecalledRow({ message }: { readonly message: RecalledMessage }): React.ReactNode {
  const { seq, at, speaker, text, mark, targets } = message
  const name = useStore(state => (speaker === null ? 'You' : shownVoiceName(state, speaker)))
  const words = excerpt(text)
  return (
    <li className="recalled-row" data-mark={mark}>
      <JumpLink seq={seq} className="recalled-link">
        {at === null ? (
          <span className="recalled-words">Message {seq}</span>
        ) : (
          <>
            <span className="recalled-who">
              <time dateTime={at}>{calendarDay(at)}</time> · {name}
              <span className="unseen">: </span>
            </span>{' '}
            <span className="recalled-words">{words}</span>
          </>
        )}
      </JumpLink>
      {mark === 'exclude' && <span className="marked">Excluded</span>}
      {mark === 'pin' && <span className="marked">Pinned</span>}
      {targets.length > 0 && <Exclude message={message} words={words} />}
    </li>
  )
}

/** Excludes a message from every later request, or takes that back. An answer is marked by its last reply. */
function Exclude({ message, words }: { readonly message: RecalledMessage; readonly words: string }): React.ReactNode {
  const { mark: decide, undo, get } = useActions()
  const isBusy = useStore(state => state.view.running.length > 0)
  const { mark, targets } = message
  const isExcluded = mark === 'exclude'
  const change = async (): Promise<void> => {
    const { problem } = get()
    await decide(isExcluded ? targets : targets.slice(-1), isExcluded ? null : 'exclude')
    if (get().problem !== problem || isExcluded) return
    undo.offer({
      text: `Excluded from context: “${words}”`,
      undo: () => decide(mark === null ? targets : targets.slice(-1), mark).catch(reportError),
    })
  }
  const label = isExcluded ? 'Include again' : 'Exclude from context'
  return (
    <button
      type="button"
      className="recalled-exclude"
      aria-label={`${label}: ${words}`}
      disabled={isBusy}
      onClick={() => {
        change().catch(reportError)
      }}
    >
      {label}
    </button>
  )
}
