import { goesOn } from './shown.ts'
import type { Entry, ReplyEntry, Step, View } from './view.ts'

/** Which step of which turn. */
export type Address = { readonly turn: string; readonly step: number }

/** The newest step of that number in that turn. */
export function findStep(view: View, address: Address): Step | undefined {
  const { entry, index } = locate(view, address)
  return entry?.steps[index]
}

/** The view with one step changed; an unknown address changes nothing. */
export function changeStep(view: View, address: Address, change: (step: Step) => Step): View {
  const { at, entry, index } = locate(view, address)
  const step = entry?.steps[index]
  if (entry === undefined || step === undefined) return view
  const changed = change(step)
  return changed === step ? view : withEntry(view, at, { ...entry, steps: entry.steps.with(index, changed) })
}

/**
 * A new step goes below what was said since the turn's last one began; beside other voices it stays in its turn's own block,
 * and what goes on after a cut stays with what was cut off.
 */
export function openStep(view: View, { turn, step, seq }: Address & { readonly seq: number }): View {
  const { at, entry } = lastStretch(view, turn)
  if (entry === undefined) return view
  const fresh: Step = { step, seq: null, mark: null, state: 'open', parts: [], receipt: null, usage: null, fault: null }
  const last = entry.steps.at(-1)
  const canBeLeft = last !== undefined && !goesOn(last, fresh)
  const spokenInto = canBeLeft && view.entries.slice(at + 1).some(other => isHeardBy(entry.voice, other))
  if (!spokenInto) return withEntry(view, at, { ...entry, steps: [...entry.steps, fresh] })
  const before = withEntry(view, at, { ...entry, end: 'continued' })
  return { ...before, entries: [...before.entries, { ...entry, seq, steps: [fresh], end: null }] }
}

const isHeardBy = (voice: string, entry: Entry): boolean =>
  entry.kind === 'message' && (entry.to === undefined || entry.to.includes(voice))

/** Where a turn is still growing, or stopped. */
export function lastStretch(view: View, turn: string): { readonly at: number; readonly entry: ReplyEntry | undefined } {
  return findReply(view, entry => entry.turn === turn)
}

/** The newest reply that fits. */
export function findReply(
  view: View,
  fits: (entry: ReplyEntry) => boolean,
): { readonly at: number; readonly entry: ReplyEntry | undefined } {
  const at = view.entries.findLastIndex(entry => entry.kind === 'reply' && fits(entry))
  const entry = view.entries[at]
  return { at, entry: entry?.kind === 'reply' ? entry : undefined }
}

export const withEntry = (view: View, at: number, entry: Entry): View => ({ ...view, entries: view.entries.with(at, entry) })

function locate(view: View, { turn, step }: Address): { at: number; entry: ReplyEntry | undefined; index: number } {
  const { at, entry } = findReply(view, other => other.turn === turn && other.steps.some(own => own.step === step))
  return { at, entry, index: entry?.steps.findLastIndex(own => own.step === step) ?? -1 }
}
