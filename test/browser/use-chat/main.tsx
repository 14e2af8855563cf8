import type { UIMessage } from 'ai'
import { createRoot } from 'react-dom/client'
import { Chat } from '../../../examples/use-chat.tsx'

const query = new URLSearchParams(location.search)
const gateway = query.get('gateway') ?? ''
const session = query.get('session') ?? ''
const { messages } = (await (await fetch(`${gateway}/api/chat/${session}`)).json()) as { messages: UIMessage[] }
const place = document.querySelector('body')
if (place !== null) createRoot(place).render(<Chat gateway={gateway} session={session} past={messages} />)
