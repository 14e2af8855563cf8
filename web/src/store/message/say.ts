// Writes, sends and stops in the open session.
import type { ApiClient } from '../../wire/client.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { Cell } from '../cell.ts'
import { type CommandActions, type Order, orderIn, whyNot } from '../commands.ts'
import type { State } from '../state.ts'
import { type DraftFile, partOf, whyFileDoesNotFit } from './attachments.ts'
import { type Drafts, NEW } from './drafts.ts'
import type { Waiting } from './waiting.ts'

/** Writing, sending and stopping in the conversation in the middle. */
export type Composing = {
  readonly write: (text: string) => void
  /** Puts a file beside the draft, of one place or of where one is. What it says is why it has no room; null where it has. */
  readonly attach: (file: Omit<DraftFile, 'id'>, place?: string) => string | null
  readonly detach: (id: string) => void
  /** Says what is written, or does it: `/resume` is an order to this page, and no message. */
  readonly send: () => Promise<void>
  /** Keeps what is written until the running turn has ended; where none runs, it is said at once. */
  readonly queueUp: () => Promise<void>
  /** Puts a queued message back into the field, before the text there. */
  readonly editQueued: (key: string) => void
  readonly stop: () => Promise<void>
}

export type ComposingNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly drafts: Drafts
  readonly waiting: Waiting
  readonly newKey: () => string
  readonly open: (session: string) => void
  readonly onSaying: (session: string) => void
  readonly onProblem: (problem: ApiProblem) => void
  /** What orders may do, beside what is here. */
  readonly actions: Omit<CommandActions, 'stop' | 'write'>
  /** Shows the address of a session that was just made. */
  readonly go: (session: string) => void
}

const NOTHING_YET: ApiProblem = {
  status: 409,
  title: 'There is nothing to go on with',
  detail: 'This conversation has not begun; open the one that was interrupted.',
}

/** Nothing is shown as said before the log has it; until then the text and its files stay where they were put. */
export function createComposing({
  cell,
  client,
  drafts,
  waiting,
  newKey,
  open,
  onSaying,
  onProblem,
  actions,
  go,
}: ComposingNeeds): Composing {
  const here = (): string => cell.get().session ?? NEW
  const fail = (problem: ApiProblem): void => {
    onProblem(problem)
    cell.set({ problem })
  }
  const write = (text: string): void => {
    cell.set({ draft: text })
    drafts.write(here(), text)
  }
  const bring = (files: readonly DraftFile[]): void => {
    cell.set({ files })
    drafts.attach(here(), files)
  }

  /** A session is made only with its first message, so that looking at an empty page leaves nothing behind. */
  const place = async (text: string): Promise<string | null> => {
    const { session, whom, project, wish, files } = cell.get()
    if (session !== null) return session
    const created = await client.create(whom, project, wish)
    if (!created.ok) {
      fail(created.problem)
      return null
    }
    const { id } = created.value
    drafts.write(id, text)
    drafts.attach(id, files)
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
    const attached = drafts.files(id)
    const { key } = drafts.attempt(id, text)
    if (cell.get().session === id) onSaying(id)
    const said = await client.say(id, { text, key, ...(attached.length === 0 ? {} : { parts: attached.map(partOf) }) })
    // What was put beside it meanwhile was not sent.
    const later = drafts.files(id).filter(file => !attached.includes(file))
    if (said.ok) {
      drafts.clear(id)
      drafts.attach(id, later)
    }
    if (cell.get().session !== id) return
    if (!said.ok) return fail(said.problem)
    cell.set({ files: later, ...(cell.get().draft.trimEnd() === text ? { draft: '' } : {}) })
  }

  /** A command leaves the field once it was given, even if it failed; an incomplete one stays to be finished. */
  const obey = async (order: Order): Promise<void> => {
    const missing = whyNot(order)
    if (missing !== null) return cell.set({ problem: { status: 400, title: missing, detail: '' } })
    const fits = order.command.fits(cell.get())
    cell.set({ problem: fits ? null : notHere(order) })
    write('')
    if (fits) await order.command.run({ ...actions, stop, write }, order.argument)
  }

  const stop = async (): Promise<void> => {
    const { session, view } = cell.get()
    if (session === null || view.running.length === 0) return
    const stopped = await client.cancel(session)
    // A conflict means that nothing was running any more, which is what was wanted.
    if (!stopped.ok && stopped.problem.status !== 409) fail(stopped.problem)
  }

  const send = async (): Promise<void> => {
    const { draft, files, sending } = cell.get()
    const text = draft.trimEnd()
    const from = here()
    if ((text.trim() === '' && files.length === 0) || sending.includes(from)) return
    const order = files.length === 0 ? orderIn(text) : null
    if (order !== null) return obey(order)
    cell.set({ sending: [...sending, from], problem: null })
    const id = await place(text)
    if (id !== null) await deliver(id, text)
    cell.set({ sending: cell.get().sending.filter(other => other !== from && other !== id) })
  }

  return {
    write,
    attach: (file, place = here()) => {
      const files = drafts.files(place)
      const why = whyFileDoesNotFit(files, file)
      if (why !== null) return why
      const more = [...files, { ...file, id: newKey() }]
      if (place === here()) bring(more)
      else drafts.attach(place, more)
      return null
    },
    detach: id => bring(cell.get().files.filter(file => file.id !== id)),
    send,
    queueUp: async () => {
      const { draft, files, view, sending } = cell.get()
      if (view.running.length === 0 || orderIn(draft) !== null) return send()
      if ((draft.trim() === '' && files.length === 0) || sending.includes(here())) return
      waiting.enqueue(draft.trimEnd(), files)
      write('')
      bring([])
    },
    editQueued: key => {
      const { text, files } = waiting.takeQueued(key)
      const { draft } = cell.get()
      write(draft.trim() === '' ? text : `${text}\n\n${draft}`)
      bring([...cell.get().files, ...files])
    },
    stop,
  }
}

const notHere = ({ command }: Order): ApiProblem =>
  command.name === 'resume'
    ? NOTHING_YET
    : { status: 409, title: `/${command.name} has nothing to do here`, detail: command.words }
