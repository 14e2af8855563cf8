// Runs the conversations that the pictures show.
import type { Script } from '../../src/testing/index.ts'
import type { Place } from './place.ts'
import {
  ANSWER,
  BOARD,
  BOARD_QUESTION,
  EDITED_QUESTION,
  OTHER_TITLES,
  QUESTION,
  SECOND_ANSWER,
  SECOND_QUESTION,
  TOOL_ASK,
  TOOL_QUESTION,
  text,
} from './story.ts'

/** The sessions of the story, by id. */
export type Told = {
  readonly chat: string
  readonly branch: string
  readonly approval: string
  readonly window: string
}

type Opened = { readonly id: string }

/** Runs all conversations that the pictures show, before the pictures are taken. */
export async function tell(place: Place): Promise<Told> {
  for (const [index, title] of OTHER_TITLES.entries()) {
    await open(place, { title, ...(index % 2 === 1 ? { project: 'garden' } : {}) })
  }
  const window = await open(place, { agent: 'editor', policy: 'recent', title: 'Shorter, please' })
  for (const words of ['Here is the first paragraph.', 'Here is the second.', 'Here is the third.', 'And the last one.'])
    await say(place, window, words, [text(`Shorter: “${words.replace('Here is the', 'The').replace('.', '')}” says it.`)])
  const approval = await open(place, { agent: 'engineer', title: 'A note on backups' })
  place.writer.say(TOOL_ASK)
  await post(place, `/api/sessions/${approval}/messages`, { text: TOOL_QUESTION })
  const chat = await open(place, { agent: 'engineer', title: 'An append-only log' })
  await say(place, chat, QUESTION, [ANSWER])
  const before = await lastSeq(place, chat)
  await say(place, chat, SECOND_QUESTION, [SECOND_ANSWER])
  const { id: branch } = await post<Opened>(place, `/api/sessions/${chat}/fork`, { at: before })
  await say(place, branch, EDITED_QUESTION, [SECOND_ANSWER])
  return { chat, branch, approval, window }
}

/** Runs a council's round with one advisor that cannot answer just now. */
export async function round(place: Place): Promise<string> {
  const session = await open(place, { council: 'board', title: 'The old runtime' })
  for (const [id, script] of Object.entries(BOARD)) place.board[id]?.say(script)
  await stream(place, session, BOARD_QUESTION)
  return session
}

export async function open(place: Place, wish: object): Promise<string> {
  return (await post<Opened>(place, '/api/sessions', wish)).id
}

export async function say(place: Place, session: string, text: string, scripts: readonly Script[]): Promise<void> {
  place.writer.say(...scripts)
  await stream(place, session, text)
}

async function stream({ url }: Place, session: string, text: string): Promise<void> {
  const response = await fetch(`${url}/api/sessions/${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ text }),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.text()
}

async function lastSeq({ url }: Place, session: string): Promise<number> {
  const response = await fetch(`${url}/api/sessions/${session}/events?limit=5000`)
  const { items } = (await response.json()) as { items: readonly { seq: number }[] }
  return items.at(-1)?.seq ?? 0
}

/** Deletes a session that was made only for a picture. */
export async function remove({ url }: Place, session: string): Promise<void> {
  await fetch(`${url}/api/sessions/${session}`, { method: 'DELETE' })
}

export async function post<Value>({ url }: Place, path: string, body: object): Promise<Value> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Value
}
