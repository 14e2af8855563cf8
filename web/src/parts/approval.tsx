import { useState } from 'react'
import type { ApprovalAnswer } from '../../../src/model/event.ts'
import { useActions } from '../use-store.ts'
import { argvWords } from '../words.ts'

type ApprovalProps = { readonly tool: string; readonly approval: string; readonly argv: readonly string[] }

const CHOICES: readonly { readonly answer: ApprovalAnswer; readonly words: string }[] = [
  { answer: 'once', words: 'Allow once' },
  { answer: 'session', words: 'For this chat' },
  { answer: 'always', words: 'Always' },
  { answer: 'deny', words: 'Deny' },
]

/** A call that waits for a person: exactly what would be run, and the four answers. Whoever answers first decides. */
export function Approval({ tool, approval, argv }: ApprovalProps): React.ReactNode {
  const { answer } = useActions()
  const [sending, setSending] = useState(false)
  const give = async (word: ApprovalAnswer): Promise<void> => {
    setSending(true)
    await answer(approval, word)
    setSending(false)
  }
  return (
    <fieldset className="approval" disabled={sending}>
      <legend>May {tool} run this?</legend>
      <pre>{argvWords(argv)}</pre>
      <div className="approval-choices">
        {CHOICES.map(({ answer: word, words }) => (
          <button key={word} type="button" className="approval-choice" data-answer={word} onClick={() => void give(word)}>
            {words}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
