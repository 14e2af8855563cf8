import type { Cell } from './cell.ts'
import type { Client } from './client.ts'
import { type Drafts, NEW } from './drafts.ts'
import type { Problem } from './problem.ts'
import type { State } from './state.ts'

/** Writing, sending and stopping in the conversation in the middle. */
export type Mouth = {
  readonly write: (text: string) => void
  /** Says what is written, or does it: `/resume` is an order to this page, and no message. */
  readonly send: () => Promise<void>
  readonly stop: () => Promise<void>
}

export type MouthNeeds = {
  readonly cell: Cell<State>
  readonly client: Client
  readonly drafts: Drafts
  readonly open: (session: string) => void
  readonly onProblem: (problem: Problem) => void
  readonly resume: () => Promise<void>
  /** Shows the address of a session that was just made. */
  readonly go: (session: string) => void
}

const RESUME = '/resume'

const NOTHING_YET: Problem = {
  status: 409,
  title: 'There is nothing to go on with',
  detail: 'This conversation has not begun; open the one that was interrupted.',
}

/** Nothing is shown as said before the log has it; until then the text stays where it was written. */
export function createMouth({ cell, client, drafts, open, onProblem, resume, go }: MouthNeeds): Mouth {
  const fail = (problem: Problem): void => {
    onProblem(problem)
    cell.set({ problem })
  }

  /** A session is made only with its first message, so that looking at an empty page leaves nothing behind. */
  const place = async (text: string): Promise<string | null> => {
    const { session } = cell.get()
    if (session !== null) return session
    const created = await client.create(cell.get().whom, cell.get().project)
    if (!created.ok) {
      fail(created.problem)
      return null
    }
    const { id } = created.value
    drafts.write(id, text)
    drafts.clear(NEW)
    cell.set({ sending: [...cell.get().sending, id] })
    if (cell.get().session === null) {
      open(id)
      cell.set({ about: created.value })
      go(id)
    }
    return id
  }

  const deliver = async (id: string, text: string): Promise<void> => {
    const said = await client.say(id, drafts.attempt(id, text))
    if (said.ok) drafts.clear(id)
    if (cell.get().session !== id) return
    if (!said.ok) return fail(said.problem)
    if (cell.get().draft.trimEnd() === text) cell.set({ draft: '' })
  }

  /** An order is gone from the field once it was given, whatever became of it; what was refused is told. */
  const order = async (): Promise<void> => {
    const { session } = cell.get()
    cell.set({ draft: '', problem: session === null ? NOTHING_YET : null })
    drafts.clear(session ?? NEW)
    await resume()
  }

  return {
    write: text => {
      cell.set({ draft: text })
      drafts.write(cell.get().session ?? NEW, text)
    },
    send: async () => {
      const { draft, session, sending } = cell.get()
      const text = draft.trimEnd()
      const from = session ?? NEW
      if (text === '' || sending.includes(from)) return
      if (text.trim() === RESUME) return order()
      cell.set({ sending: [...sending, from], problem: null })
      const id = await place(text)
      if (id !== null) await deliver(id, text)
      cell.set({ sending: cell.get().sending.filter(other => other !== from && other !== id) })
    },
    stop: async () => {
      const { session, view } = cell.get()
      if (session === null || view.running.length === 0) return
      const stopped = await client.cancel(session)
      // A conflict means that nothing was running any more, which is what was wanted.
      if (!stopped.ok && stopped.problem.status !== 409) fail(stopped.problem)
    },
  }
}
