// Edits, retries and forks from a message.
import type { Mark, Reach } from '../../../../src/model/event.ts'
import type { Session } from '../../../../src/model/session.ts'
import type { FileChip, MessageEntry } from '../../view/view.ts'
import type { ApiClient, AttachedPart, TurnWish } from '../../wire/client.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import type { Cell } from '../cell.ts'
import type { State } from '../state.ts'
import type { Undo } from '../undo.ts'
import { base64Of } from './attachments.ts'

/** Going back in a conversation. What was said stays as it was: everything here happens in a fork. */
export type Revise = {
  /** Opens a message of one's own to be reworded; null gives up. */
  readonly edit: (seq: number | null) => void
  /** The last one, if there is one. */
  readonly editLast: () => void
  /** The message in other words, in a fork that begins before it. True once it was said there; else nothing is left behind. */
  readonly reword: (message: MessageEntry, text: string) => Promise<boolean>
  /** Another answer to the message at a seq, where wanted under another policy or by another model. */
  readonly askAgain: (cause: number, wish?: TurnWish) => Promise<void>
  /** A person's word on a message, or on the replies of one turn; a pin may reach beyond this chat. */
  readonly mark: (seqs: readonly number[], mark: Mark | null, reach?: Reach) => Promise<void>
  /** Takes a pin of any chat away; `onUndone` is called once it is back. True if it is gone. */
  readonly unpin: (pin: KeptPinAt, onUndone: () => void) => Promise<boolean>
  /** The bytes of a file that came with a message. */
  readonly file: (hash: string) => Promise<Blob | null>
}

/** A pinned message of any chat. */
export type KeptPinAt = { readonly session: string; readonly seq: number; readonly reach: Reach }

export type ReviseNeeds = {
  readonly cell: Cell<State>
  readonly undo: Undo
  readonly client: ApiClient
  readonly newKey: () => string
  readonly onProblem: (problem: ApiProblem) => void
  readonly go: (session: string) => void
}

export function createRevise({ cell, client, undo, newKey, onProblem, go }: ReviseNeeds): Revise {
  const fail = (problem: ApiProblem): void => {
    onProblem(problem)
    cell.set({ problem })
  }

  /**
   * A fork in which something was done at once; one in which that failed is taken away again. `redo` is the message it is about:
   * an answer that was being given when it came in stays.
   */
  const inFork = async (
    session: string,
    at: number,
    redo: number,
    act: (fork: Session) => Promise<ApiResult<unknown>>,
  ): Promise<boolean> => {
    const forked = await client.fork(session, at, redo)
    if (!forked.ok) {
      fail(forked.problem)
      return false
    }
    const done = await act(forked.value)
    if (!done.ok) {
      await client.remove(forked.value.id)
      fail(done.problem)
      return false
    }
    // A person who went elsewhere meanwhile stays there; the new version is found beside the old one.
    if (cell.get().session !== session) return true
    cell.set({ editing: null })
    go(forked.value.id)
    return true
  }

  watchFamily(cell, client)

  return {
    edit: seq => cell.set({ editing: seq }),
    editLast: () => {
      const { view } = cell.get()
      const last = view.entries.findLast(entry => entry.kind === 'message' && entry.exchange === undefined)
      if (last !== undefined && view.running.length === 0) cell.set({ editing: last.seq })
    },
    reword: async ({ seq, to, files = [] }, text) => {
      const { session } = cell.get()
      if (session === null) return false
      const parts = await again(files, hash => client.file(session, hash))
      if (!parts.ok) {
        fail(parts.problem)
        return false
      }
      const more = { ...(to === undefined ? {} : { to }), ...(parts.value.length === 0 ? {} : { parts: parts.value }) }
      return inFork(session, seq - 1, seq, fork => client.say(fork.id, { text, key: newKey(), ...more }))
    },
    askAgain: async (cause, wish = {}) => {
      const { session } = cell.get()
      if (session === null) return
      await inFork(session, cause, cause, async fork => {
        const changed = Object.keys(wish).length === 0 ? null : await client.change(fork.id, wish)
        return changed?.ok === false ? changed : client.resume(fork.id)
      })
    },
    mark: async (seqs, mark, reach) => {
      const { session } = cell.get()
      if (session === null) return
      for (const seq of seqs) {
        const marked = await client.mark(session, seq, mark, ...(reach === undefined ? [] : [reach]))
        if (!marked.ok) return fail(marked.problem)
      }
    },
    unpin: async ({ session, seq, reach }, onUndone) => {
      const forgotten = await client.mark(session, seq, null)
      if (!forgotten.ok) {
        fail(forgotten.problem)
        return false
      }
      undo.offer({
        text: 'Unpinned. The message itself is still in its chat.',
        undo: () => {
          client
            .mark(session, seq, 'pin', reach)
            .then(outcome => (outcome.ok ? onUndone() : fail(outcome.problem)))
            .catch(reportError)
        },
      })
      return true
    },
    file: async hash => {
      const { session } = cell.get()
      const found = session === null ? null : await client.file(session, hash)
      return found?.ok === true ? found.value : null
    },
  }
}

/** The sessions of a tree of forks are read when one is opened; if that fails there are only no arrows. */
function watchFamily(cell: Cell<State>, client: ApiClient): void {
  let known: string | null = null
  cell.watch(() => {
    const { about, session } = cell.get()
    if (about === null || about.id !== session || session === known) return
    known = session
    client
      .family(about.family)
      .then(found => {
        if (found?.ok === true && found.value !== null && cell.get().session === session) cell.set({ family: found.value.items })
      })
      .catch(reportError)
  })
}

/** The files of a message as they are sent once more. */
async function again(
  files: readonly FileChip[],
  read: (hash: string) => Promise<ApiResult<Blob>>,
): Promise<ApiResult<readonly AttachedPart[]>> {
  const parts: AttachedPart[] = []
  for (const { kind, name, mediaType, hash, text = '' } of files) {
    const bytes: ApiResult<Blob> = hash === undefined ? { ok: true, value: new Blob([text]) } : await read(hash)
    if (!bytes.ok) return bytes
    parts.push({ type: kind, name, mediaType, data: base64Of(new Uint8Array(await bytes.value.arrayBuffer())) })
  }
  return { ok: true, value: parts }
}
