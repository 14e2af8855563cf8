// The composer: text, attachments, who answers, send and stop.
import { useCallback, useEffect, useRef, useState } from 'react'
import { TOUCH } from '../parts/enter.ts'
import { Icon } from '../parts/icon.tsx'
import { APPLE } from '../parts/platform.ts'
import { modelsAsked, readersOf, useChoices, useWorkspaceLists, type WorkspaceLists } from '../parts/use-workspace-lists.ts'
import { unseenWords } from '../store/message/attachments.ts'
import { NEW } from '../store/message/drafts.ts'
import { useActions, useSetting, useStore, useWorkspaceApi } from '../store/use-store.ts'
import { notInsertedWords } from '../words/mcp-words.ts'
import { Attachments } from './attach/attachments.tsx'
import { DropArea } from './attach/drop-area.tsx'
import { useIntake } from './attach/use-intake.ts'
import { addressedIn } from './choice/addressing.ts'
import { Tune } from './choice/tune.tsx'
import { Who } from './choice/who.tsx'
import { GoneNotice } from './gone-notice.tsx'
import { MessageField } from './message-field.tsx'
import { Notices } from './notices.tsx'
import { AttachButton } from './offers/attach-button.tsx'
import { promptName, type ServerPrompt, type ServerResource } from './offers/offered.ts'
import { PromptDialog } from './offers/prompt-dialog.tsx'
import { useInsertPrompt } from './offers/use-prompts.ts'
import { QueueList } from './queue.tsx'
import { QuoteLine } from './quote-line.tsx'
import { Ring, RingWarning } from './ring/ring.tsx'

/** Where a person writes. What is written here, and what is put beside it, stays until the gateway has it. */
export function Composer(): React.ReactNode {
  const { send, queueUp, stop } = useActions()
  const session = useStore(state => state.session)
  const council = useStore(({ councils, about, whom, session: here }) => {
    const key = here === null ? (whom !== null && 'council' in whom ? whom.council : null) : (about?.council ?? null)
    return councils.find(one => one.key === key)
  })
  const sending = useStore(state => state.sending.includes(state.session ?? NEW))
  const isEmpty = useStore(state => state.draft.trim() === '' && state.files.length === 0)
  const speaking = useStore(state => state.view.running.length)
  const field = useRef<HTMLTextAreaElement>(null)
  const [asked, setAsked] = useState<ServerPrompt | null>(null)
  const lists = useWorkspaceLists()
  const choices = useChoices(lists)
  const { mcp } = useWorkspaceApi()
  const { take, takeFrom, isReading, refused, refuse, forget } = useIntake()
  const insert = useInsertPrompt({ takeFrom })
  useKeyboardInset()

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is a place to write in
  useEffect(() => {
    // A person who comes back to a draft continues at its end.
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
    if (!matchMedia(TOUCH).matches) field.current?.focus({ preventScroll: true })
    forget()
  }, [session])

  const back = useCallback((): void => field.current?.focus(), [])
  const takeAll = useCallback(
    (files: Iterable<File>): void => {
      take(files).catch(reportError)
      back()
    },
    [take, back],
  )
  const takeResource = ({ server, uri, name }: ServerResource): void => {
    takeFrom(name, mcp.readResource(server, uri)).catch(reportError)
    back()
  }
  /** A prompt without arguments is put into the message at once. */
  const takePrompt = async (prompt: ServerPrompt): Promise<void> => {
    if (prompt.arguments.length > 0) return setAsked(prompt)
    const problem = await insert(prompt, {})
    if (problem !== null) refuse(notInsertedWords(promptName(prompt), problem))
  }
  const submit = (): void => {
    if (isReading) return
    send().catch(reportError)
    back()
  }
  const queue = (): void => {
    if (isReading) return
    queueUp().catch(reportError)
    back()
  }

  const running = speaking > 0
  return (
    <div className="composer">
      <Notices />
      <GoneNotice onLeave={back} />
      <Refused whys={refused} onForget={forget} />
      <QueueList onLeave={back} />
      <To council={council} />
      <p className="composer-to" role="status">
        {isReading && 'Reading the files …'}
      </p>
      <form
        className="composer-box"
        aria-label="Write a message"
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <Attachments onLeave={back} />
        <MessageField
          field={field}
          council={council}
          choices={choices}
          busy={sending}
          placeholder={placeholderFor(speaking)}
          onSend={submit}
          onQueue={queue}
          onFiles={takeAll}
          onPrompt={prompt => takePrompt(prompt).catch(reportError)}
        />
        <div className="composer-row">
          <AttachButton onFiles={takeAll} onResource={takeResource} />
          <Who />
          {lists !== null && <Tune lists={lists} />}
          <span className="composer-gap" />
          <Ring lists={lists} />
          {running && !isEmpty && (
            <button
              type="button"
              className="composer-tool"
              aria-label="Queue"
              title="Queue: sent when the reply has ended (Alt Enter)"
              onClick={queue}
            >
              <Icon name="later" />
            </button>
          )}
          {running && (
            <button
              type="button"
              className="round-button stop"
              aria-label="Stop"
              title="Stop (Esc)"
              onClick={() => {
                stop().catch(reportError)
                // The button goes away; on a phone the keyboard would come in its place.
                if (!matchMedia(TOUCH).matches) back()
              }}
            >
              <span className="stop-square" aria-hidden="true" />
            </button>
          )}
          {(!running || !isEmpty) && (
            <button
              type="submit"
              className="round-button send"
              aria-label="Send"
              title={running ? 'Say it now: the next step hears it' : 'Send'}
              disabled={sending || isEmpty || isReading}
            >
              <Icon name="send" />
            </button>
          )}
        </div>
      </form>
      {lists !== null && <Unseen lists={lists} />}
      <RingWarning lists={lists} />
      <div className="composer-foot">
        <QuoteLine />
        <Hint running={running} isEmpty={isEmpty} />
      </div>
      {asked !== null && (
        <PromptDialog prompt={asked} onInsert={values => insert(asked, values)} onClose={() => setAsked(null)} />
      )}
      <DropArea onDrop={takeAll} />
    </div>
  )
}

/** What is known not to reach the model is said before it is sent. */
function Unseen({ lists }: { readonly lists: WorkspaceLists }): React.ReactNode {
  const files = useStore(state => state.files)
  const asked = useStore(state => modelsAsked(lists, state).join('\n'))
  const words = unseenWords(files, readersOf(lists, asked.split('\n')))
  return words === null ? null : (
    <p className="composer-warning" role="status">
      <Icon name="info" />
      {words}
    </p>
  )
}

const placeholderFor = (speaking: number): string =>
  speaking === 0 ? 'Write a message …' : `Add something while ${speaking === 1 ? 'it answers' : 'they answer'} …`

/** Whom the text is for, where it is not for everybody. */
function To({ council }: { readonly council: Parameters<typeof addressedIn>[0] }): React.ReactNode {
  const to = useStore(state => addressedIn(council, state.draft).join(', '))
  return (
    <p className="composer-to" role="status">
      {to !== '' && `To ${to}`}
    </p>
  )
}

function Hint({ running, isEmpty }: { readonly running: boolean; readonly isEmpty: boolean }): React.ReactNode {
  const sendKey = useSetting('send')
  const main = APPLE ? '⌘' : 'Ctrl'
  if (running && !isEmpty)
    return (
      <p className="composer-hint">
        {sendKey === 'modified' && <kbd>{main} </kbd>}
        <kbd>Enter</kbd> says it now · <kbd>Alt Enter</kbd> queues it
      </p>
    )
  return (
    <p className="composer-hint">
      {sendKey === 'modified' ? (
        <>
          <kbd>{main} Enter</kbd> sends
        </>
      ) : (
        <>
          <kbd>Enter</kbd> sends · <kbd>Shift Enter</kbd> new line
        </>
      )}
      {running ? ' · Esc stops' : ''}
    </p>
  )
}

/** Files that were not taken, and what could be. */
function Refused({ whys, onForget }: { readonly whys: readonly string[]; readonly onForget: () => void }): React.ReactNode {
  if (whys.length === 0) return null
  return (
    <div className="notice refused" data-kind="problem" role="alert">
      <Icon name="alert" />
      <span>
        {whys.map(why => (
          <span key={why} className="refused-line">
            {why}
          </span>
        ))}
      </span>
      <button type="button" className="small-button" aria-label="Dismiss" onClick={onForget}>
        <Icon name="close" />
      </button>
    </div>
  )
}

/** Safari lays its keyboard over the page instead of making the page smaller; so the page learns how much is covered. */
function useKeyboardInset(): void {
  useEffect(() => {
    const seen = window.visualViewport
    if (seen === null) return
    const { style } = document.documentElement
    const measure = (): void => {
      const covered = seen.scale > 1.01 ? 0 : Math.max(0, innerHeight - seen.height - seen.offsetTop)
      style.setProperty('--keyboard', `${Math.round(covered)}px`)
    }
    measure()
    seen.addEventListener('resize', measure)
    seen.addEventListener('scroll', measure)
    return () => {
      seen.removeEventListener('resize', measure)
      seen.removeEventListener('scroll', measure)
      style.removeProperty('--keyboard')
    }
  }, [])
}
