// Asks for the arguments of a server's prompt before its text goes into the message.
import { useId, useRef, useState } from 'react'
import { ProblemBox } from '../../form/problem-box.tsx'
import { TextArea } from '../../form/text-area.tsx'
import { isSending, TOUCH } from '../../parts/enter.ts'
import { useModal } from '../../parts/use-modal.ts'
import { useSetting } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { missingArguments, promptName, promptValues, type ServerPrompt } from './offered.ts'

type PromptDialogProps = {
  readonly prompt: ServerPrompt
  /** Puts the text into the message; what comes back is why it could not. */
  readonly onInsert: (values: Readonly<Record<string, string>>) => Promise<ApiProblem | null>
  readonly onClose: () => void
}

/** The keys are those of the message: what sends it there inserts it here. */
export function PromptDialog({ prompt, onInsert, onClose }: PromptDialogProps): React.ReactNode {
  const dialog = useModal()
  const heading = useId()
  const form = useRef<HTMLFormElement>(null)
  const sendKey = useSetting('send')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const missing = missingArguments(prompt, typed)
  const insert = async (): Promise<void> => {
    setTried(true)
    if (isBusy) return
    const [first] = missing
    if (first !== undefined) {
      const place = prompt.arguments.findIndex(({ name }) => name === first)
      return form.current?.querySelectorAll('textarea')[place]?.focus()
    }
    setBusy(true)
    const refused = await onInsert(promptValues(typed))
    setBusy(false)
    setProblem(refused)
    if (refused === null) dialog.current?.close()
  }
  return (
    <dialog ref={dialog} className="dialog prompt-dialog" aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{promptName(prompt)}</h2>
      {prompt.description !== undefined && <p>{prompt.description}</p>}
      {problem !== null && <ProblemBox problem={problem} />}
      <form
        ref={form}
        className="form"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          insert().catch(reportError)
        }}
        onKeyDown={event => {
          if (event.target instanceof HTMLButtonElement) return
          if (!isSending(event.nativeEvent, sendKey, matchMedia(TOUCH).matches)) return
          event.preventDefault()
          form.current?.requestSubmit()
        }}
      >
        {prompt.arguments.map(({ name, description, required }) => (
          <TextArea
            key={name}
            label={name}
            rows={1}
            isRequired={required}
            aside={required ? 'required' : 'optional'}
            {...(description === undefined ? {} : { hint: description })}
            error={isTried && missing.includes(name) ? 'This is required.' : undefined}
            value={typed[name] ?? ''}
            onChange={value => setTyped(now => ({ ...now, [name]: value }))}
          />
        ))}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="button primary" aria-disabled={isBusy}>
            {isBusy ? 'Inserting …' : 'Insert'}
          </button>
        </div>
      </form>
    </dialog>
  )
}
