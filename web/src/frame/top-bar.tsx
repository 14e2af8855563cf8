// The bar above the conversation: title, who answers, menu.
import { useCallback, useEffect, useRef, useState } from 'react'
import { useFrame } from '../parts/frame.ts'
import { Icon } from '../parts/icon.tsx'
import { keyHint } from '../parts/platform.ts'
import { ChatMenu } from '../sidebar/chat-menu.tsx'
import { RenameField } from '../sidebar/rename-field.tsx'
import { recallScope } from '../store/recall-scope.ts'
import { useStore } from '../store/use-store.ts'
import { openCouncil, shownVoiceName } from '../view/called.ts'
import { hashOf, sessionHash } from '../view/route.ts'
import { PRIVATE, recallScopeWords } from '../words/memory-words.ts'
import { pageTitle, sessionTitle } from '../words/words.ts'

/** Where one is, and who answers there; where the sidebar is not seen, also the way to it and to a new conversation. */
export function TopBar(): React.ReactNode {
  const { narrow, sidebar, showSidebar } = useFrame()
  const isHidden = narrow || !sidebar
  return (
    <header className="top-bar">
      {isHidden && (
        <button
          type="button"
          className="quiet-button"
          aria-label={narrow ? 'Open the list of conversations' : 'Show the sidebar'}
          title={narrow ? undefined : `Show the sidebar (${keyHint('toggle-sidebar')})`}
          aria-expanded={narrow ? sidebar : undefined}
          onClick={() => showSidebar(true)}
        >
          <Icon name={narrow ? 'menu' : 'sidebar'} />
        </button>
      )}
      <Title />
      <RecallSign />
      <Options />
      {isHidden && (
        <a
          className="quiet-button"
          href={sessionHash(null)}
          aria-label="New conversation"
          title={`New conversation (${keyHint('new-chat')})`}
        >
          <Icon name="plus" />
        </a>
      )}
    </header>
  )
}

function Title(): React.ReactNode {
  const { narrow, renaming, rename } = useFrame()
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const route = useStore(state => state.route)
  const project = useStore(state => state.project)
  const isChat = route.page === 'chat'
  const isNew = isChat && session === null
  const onRenamed = (byKey: boolean): void => {
    rename(false)
    if (byKey) document.getElementById('message')?.focus()
  }
  // A title that was begun for one conversation is not meant for the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another conversation is opened
  useEffect(() => {
    rename(false)
  }, [session, rename])
  if (isChat && renaming && about !== null) return <RenameField key={about.id} session={about} onDone={onRenamed} />
  const title = !isChat ? pageTitle(route.page) : isNew ? 'New conversation' : sessionTitle(about)
  return (
    <div className="top-words">
      <h1 className="top-title" title={title} onDoubleClick={about === null || !isChat ? undefined : () => rename(true)}>
        {isNew && !narrow ? <span className="unseen">{title}</span> : title}
      </h1>
      {isChat && !isNew && about?.private === true && (
        <span className="top-sign" title={PRIVATE}>
          <Icon name="lock" />
          <span className="unseen">{PRIVATE}</span>
        </span>
      )}
      {isChat && !isNew && <Answers />}
      {isNew && project !== null && <span className="top-note">in {project}</span>}
    </div>
  )
}

/** Who answers in this conversation. */
function Answers(): React.ReactNode {
  const about = useStore(state => state.about)
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const council = openCouncil({ about, councils })
  if (council !== undefined) return <span className="top-note">{council.name}</span>
  if (about === null || about.agent === null) return null
  return <span className="top-note">{shownVoiceName({ about, names, councils }, { voice: about.agent, name: null })}</span>
}

/** That this conversation can recall from others, with the way to where that is switched. */
function RecallSign(): React.ReactNode {
  const isChat = useStore(state => state.route.page === 'chat')
  const words = useStore(state => {
    const scope = recallScope(state)
    return scope === null ? null : recallScopeWords(scope)
  })
  if (!isChat || words === null) return null
  return (
    <a className="recall-sign" href={hashOf({ page: 'memory', key: null })} title={words} aria-label={words}>
      <Icon name="memory" />
      <span className="recall-sign-words">{words}</span>
    </a>
  )
}

/** What can be done with the conversation one is in. */
function Options(): React.ReactNode {
  const { rename } = useFrame()
  const about = useStore(state => (state.route.page === 'chat' && state.session !== null ? state.about : null))
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  if (about === null) return null
  return (
    <>
      <button
        ref={button}
        type="button"
        className="quiet-button"
        aria-label="Options for this conversation"
        title="Options"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && button.current !== null && (
        <ChatMenu session={about} opener={button.current} onClose={close} onRename={() => rename(true)} />
      )}
    </>
  )
}
