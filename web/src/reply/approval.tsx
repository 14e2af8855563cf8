// Asks a person about a call, with the four answers.
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { RunFacts } from '../../../src/model/approval.ts'
import { factRows } from '../../../src/model/approval-words.ts'
import type { ApprovalAnswer } from '../../../src/model/event.ts'
import { leaveFocus } from '../parts/leave-focus.ts'
import { useActions } from '../store/use-store.ts'
import { argvWords } from '../words/words.ts'

type ApprovalProps = {
  readonly tool: string
  /** The name of the voice that asks; null if it has none to show. */
  readonly voice: string | null
  readonly approval: string
  readonly argv: readonly string[]
  readonly facts: RunFacts
}

type Choice = { readonly answer: ApprovalAnswer; readonly words: string; readonly means: string }

const CHOICES: readonly Choice[] = [
  { answer: 'once', words: 'Allow once', means: 'only this call' },
  { answer: 'session', words: 'For this chat', means: 'any arguments, in this chat, while the tool is as shown' },
  { answer: 'always', words: 'Always', means: 'any arguments, in every chat, while the tool is as shown' },
]

/** A call that waits for approval: exactly what would run, and the four answers. The first answer decides. */
export function Approval({ tool, voice, approval, argv, facts }: ApprovalProps): React.ReactNode {
  const { answer } = useActions()
  const id = useId()
  const [sending, setSending] = useState(false)
  const [denying, setDenying] = useState(false)
  const [reason, setReason] = useState('')
  const box = useRef<HTMLFieldSetElement>(null)
  // It goes away when it was answered, here or elsewhere.
  useLayoutEffect(() => {
    const own = box.current
    return () => {
      if (own?.contains(document.activeElement) === true) leaveFocus(own)
    }
  }, [])
  const give = (word: ApprovalAnswer, why?: string): void => {
    // What waits for an answer of the gateway takes no focus.
    if (box.current !== null) leaveFocus(box.current)
    setSending(true)
    answer(approval, word, why)
      .catch(reportError)
      .finally(() => setSending(false))
  }
  const deny = (): void => give('deny', reason.trim() === '' ? undefined : reason.trim())
  return (
    <fieldset ref={box} className="approval" disabled={sending}>
      <legend>{voice === null ? `May ${tool} run this?` : `${voice} asks: may ${tool} run this?`}</legend>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keys */}
      <pre tabIndex={0}>
        <Command argv={argv} facts={facts} />
      </pre>
      <Facts facts={facts} />
      <div className="approval-choices">
        {CHOICES.map(({ answer: word, words, means }) => (
          <span key={word} className="approval-option">
            <button
              type="button"
              className="approval-choice"
              data-answer={word}
              aria-describedby={`${id}-${word}`}
              onClick={() => give(word)}
            >
              {words}
            </button>
            <span id={`${id}-${word}`}>{means}</span>
          </span>
        ))}
        <span className="approval-option">
          <button type="button" className="approval-choice" data-answer="deny" aria-describedby={`${id}-deny`} onClick={deny}>
            Deny
          </button>
          <span id={`${id}-deny`}>
            nothing is run{' '}
            {!denying && (
              <button type="button" className="link" onClick={() => setDenying(true)}>
                Say why
              </button>
            )}
          </span>
        </span>
      </div>
      {denying && (
        <label className="approval-reason">
          Why not? The model reads this.
          <input
            type="text"
            value={reason}
            maxLength={500}
            // biome-ignore lint/a11y/noAutofocus: the person just asked for this field
            autoFocus
            onChange={event => setReason(event.target.value)}
            onKeyDown={event => {
              if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
              // Escape gives up the reason, and stops nothing.
              event.preventDefault()
              if (event.key === 'Enter') deny()
              else setDenying(false)
            }}
          />
        </label>
      )}
    </fieldset>
  )
}

/** The command line; a place that a resolver fills later is marked. */
function Command({
  argv,
  facts: { resolver = [] },
}: {
  readonly argv: readonly string[]
  readonly facts: RunFacts
}): React.ReactNode {
  return argv.map((element, index) => {
    const words = `${index === 0 ? '' : ' '}${argvWords([element])}`
    // biome-ignore lint/suspicious/noArrayIndexKey: an element of a command line is its place
    return resolver.some(({ at }) => at === index) ? <mark key={index}>{words}</mark> : words
  })
}

/** What the answer is bound to; a hash is short, and whole when it is opened. */
function Facts({ facts }: { readonly facts: RunFacts }): React.ReactNode {
  const rows = factRows(facts, argvWords)
  if (rows.length === 0) return null
  return (
    <dl className="approval-facts">
      {rows.map(({ label, value, full }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a question never move
        <div key={index}>
          <dt>{label}</dt>
          <dd>
            {full === undefined ? (
              value
            ) : (
              <details>
                <summary>{value}</summary>
                {full}
              </details>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
