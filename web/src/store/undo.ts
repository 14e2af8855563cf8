// Tells what was done, and undoes it for a few seconds.
import type { Cell } from './cell.ts'

/** A few words at the top of the page that go by themselves, and perhaps a way back. */
export type Toast = { readonly id: number; readonly text: string; readonly canUndo: boolean }

/** Something that was done, and what else belongs to it. */
export type Done = {
  readonly text: string
  /** Takes it back; without it there is only something to tell. */
  readonly undo?: () => void
  /** Runs when it can no longer be undone. */
  readonly settle?: () => void
}

/** Tells what was done, and lets it be undone for a while. Each action is either undone or settled, exactly once. */
export type Undo = {
  readonly offer: (done: Done) => void
  /** Takes back one, or what was done last. */
  readonly undo: (id?: number) => void
  readonly dismiss: (id: number) => void
  /** A toast stays while the person looks at it. */
  readonly hold: (held: boolean) => void
  /** Settles everything now: the page is being left. */
  readonly flush: () => void
}

/** Calls later; returns how to have it not called. */
export type After = (ms: number, call: () => void) => () => void

/** How long there is a way back, and how long a word without one is shown. */
export const UNDO_MS = 8000
export const TELL_MS = 4000

type Waiting = { readonly done: Done; cancel: () => void }

export function createUndo(cell: Cell<{ readonly toasts: readonly Toast[] }>, after: After): Undo {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let isHeld = false

  const start = (id: number, done: Done): (() => void) =>
    isHeld ? () => {} : after(done.undo === undefined ? TELL_MS : UNDO_MS, () => end(id)?.settle?.())

  /** Takes it off the page; what is still to do with it is the caller's. */
  const end = (id: number): Done | undefined => {
    const found = waiting.get(id)
    if (found === undefined) return undefined
    found.cancel()
    waiting.delete(id)
    // When the last toast goes under a resting pointer, no event says that the pointer left.
    if (waiting.size === 0) isHeld = false
    cell.set({ toasts: cell.get().toasts.filter(toast => toast.id !== id) })
    return found.done
  }

  return {
    offer: done => {
      last += 1
      waiting.set(last, { done, cancel: start(last, done) })
      cell.set({ toasts: [...cell.get().toasts, { id: last, text: done.text, canUndo: done.undo !== undefined }] })
    },
    undo: id => {
      const wanted = id ?? cell.get().toasts.findLast(({ canUndo }) => canUndo)?.id
      if (wanted !== undefined) end(wanted)?.undo?.()
    },
    dismiss: id => end(id)?.settle?.(),
    hold: held => {
      if (held === isHeld) return
      isHeld = held
      for (const [id, each] of waiting) {
        each.cancel()
        each.cancel = start(id, each.done)
      }
    },
    flush: () => {
      for (const id of [...waiting.keys()]) end(id)?.settle?.()
    },
  }
}
