// A page of your own on a session of Turnwise. Loaded again in the middle of an answer, it goes on hearing it.
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, type UIMessage } from 'ai'
import type { FormEvent, ReactNode } from 'react'

type ChatProps = { readonly gateway: string; readonly session: string; readonly past: UIMessage[] }

export function Chat({ gateway, session, past }: ChatProps): ReactNode {
  const { messages, sendMessage, status, error } = useChat({
    id: session,
    messages: past,
    resume: true,
    transport: new DefaultChatTransport({
      api: `${gateway}/api/chat`,
      // The new message is enough: the context comes from the log.
      prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
    }),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    void sendMessage({ text: String(new FormData(form).get('text')) })
    form.reset()
  }
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, place) => (part.type === 'text' ? <p key={`${id} ${place}`}>{part.text}</p> : null))}
        </article>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" />
      </form>
    </main>
  )
}
