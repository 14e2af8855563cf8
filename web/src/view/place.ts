/** Where on the page the steps of a turn belong. */
import { goesOn } from '../../../src/model/turn-view/join-cuts.ts'
import { newStep } from '../../../src/model/turn-view/step-view.ts'
import type { ReplyEntry, Step, ViewEntry } from './view.ts'
import { addEntry, draftEntries, setEntry, type ViewDraft } from './view-draft.ts'

/** Which step of which turn. */
export type StepAddress = { readonly turn: string; readonly step: number }

type Found = { readonly at: number; readonly entry: ReplyEntry | undefined }

/** The newest step of that number in that turn. */
export function findStep(draft: ViewDraft, address: StepAddress): Step | undefined {
  const { entry, index } = locate(draft, address)
  return entry?.steps[index]
}

/** A step as it begins on this page. */
export const pageStep = (step: number): Step => ({ ...newStep(step), mark: null })

/** Changes the steps of a stretch; without a stretch, changes nothing. */
export function changeSteps(draft: ViewDraft, { at, entry }: Found, changed: (steps: readonly Step[]) => readonly Step[]): void {
  if (entry === undefined) return
  const steps = changed(entry.steps)
  if (steps !== entry.steps) setEntry(draft, at, { ...entry, steps })
}

/** The stretch that has a step. */
export const stretchOf = (draft: ViewDraft, address: StepAddress): Found => locate(draft, address)

/**
 * A new step goes below what was said since the turn's last one began; beside other voices it stays in its turn's own block,
 * and what goes on after a cut stays with what was cut off.
 */
export function openStep(draft: ViewDraft, { turn, step, seq }: StepAddress & { readonly seq: number }): void {
  const { at, entry } = lastStretch(draft, turn)
  if (entry === undefined) return
  const fresh = pageStep(step)
  const last = entry.steps.at(-1)
  const canBeLeft = last !== undefined && !goesOn(last, fresh)
  const isSpokenInto =
    canBeLeft &&
    draftEntries(draft)
      .slice(at + 1)
      .some(other => isHeardBy(entry.voice, other))
  setEntry(draft, at, isSpokenInto ? { ...entry, end: 'continued' } : { ...entry, steps: [...entry.steps, fresh] })
  if (isSpokenInto) addEntry(draft, { ...entry, seq, steps: [fresh], end: null })
}

const isHeardBy = (voice: string, entry: ViewEntry): boolean =>
  entry.kind === 'message' && (entry.to === undefined || entry.to.includes(voice))

/** Where a turn is still growing, or stopped. */
export const lastStretch = (draft: ViewDraft, turn: string): Found => findStretch(draft, turn, () => true)

/** The newest matching stretch of a turn. No stretch is above the message it answers, so the search ends there. */
export function findStretch(draft: ViewDraft, turn: string, fits: (entry: ReplyEntry) => boolean): Found {
  const entries = draftEntries(draft)
  let cause = 0
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at]
    if (entry === undefined || entry.seq < cause) break
    if (entry.kind !== 'reply' || entry.turn !== turn) continue
    if (fits(entry)) return { at, entry }
    cause = entry.cause
  }
  return { at: -1, entry: undefined }
}

function locate(draft: ViewDraft, { turn, step }: StepAddress): Found & { readonly index: number } {
  const found = findStretch(draft, turn, other => other.steps.some(own => own.step === step))
  return { ...found, index: found.entry?.steps.findLastIndex(own => own.step === step) ?? -1 }
}
