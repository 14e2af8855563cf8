/** Folds what the page hears into what it shows. */
import type { Attachment, Event, Recorded } from '../../../src/model/event.ts'
import type { HeardDelta, Notice } from '../../../src/model/message/delta.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { FOLD, isHouseVoice, isInternalVoice } from '../../../src/model/settings/council.ts'
import { asksFor, stepsAfter, stepsAfterDelta } from '../../../src/model/turn-view/step-view.ts'
import type { PageSignal } from '../wire/signal.ts'
import { boundaryOf, notWholeIn } from './boundary.ts'
import { foldBegan, foldEnded, foldPlanned, withFold } from './folds.ts'
import { changeSteps, findStep, findStretch, lastStretch, openStep, pageStep, stretchOf } from './place.ts'
import {
  EMPTY_VIEW,
  type Ending,
  type FileChip,
  type HeardNotice,
  type ReplyEntry,
  type Step,
  type View,
  type ViewEntry,
} from './view.ts'
import { addEntry, change, draftEntries, draftOf, replace, setEntry, type ViewDraft, viewOf } from './view-draft.ts'

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

/** What is shown after hearing one more signal. Hearing an event twice, or a delta late, changes nothing. */
export const reduce = (view: View, signal: PageSignal): View => reduceAll(view, [signal])

/** What is shown after hearing all of these; a long session comes in one go, and is copied once for it. */
export function reduceAll(view: View, signals: readonly PageSignal[]): View {
  const draft = draftOf(view)
  for (const signal of signals) hear(draft, signal)
  return viewOf(draft)
}

function hear(draft: ViewDraft, signal: PageSignal): void {
  const { cursor, notices } = draft.view
  switch (signal.type) {
    case 'reset':
      replace(draft, EMPTY_VIEW)
      break
    case 'delta':
      spoken(draft, signal.delta, signal.heard)
      break
    case 'notice': {
      const { heard } = signal
      change(draft, { notices: withNotice(notices, { ...signal.notice, ...(heard === undefined ? {} : { heard }) }) })
      break
    }
    case 'unknown':
      if (signal.seq > cursor) change(draft, { cursor: signal.seq })
      break
    case 'event':
      if (signal.event.seq <= cursor) return
      happened(draft, signal.event)
      change(draft, { cursor: signal.event.seq })
  }
}

function happened(draft: ViewDraft, event: Recorded): void {
  switch (event.type) {
    case 'message.received':
      received(draft, event)
      break
    case 'turn.started':
      began(draft, event)
      break
    case 'context.planned':
      planned(draft, event)
      break
    case 'reply.finished':
    case 'reply.broken':
      replied(draft, event)
      break
    case 'tool.started':
    case 'tool.settled':
    case 'approval.asked':
    case 'approval.answered':
      ran(draft, event)
      break
    case 'turn.ended':
      ended(draft, event)
      break
    case 'message.marked':
      for (const [at, entry] of draftEntries(draft).entries()) setEntry(draft, at, marked(entry, event))
      break
    case 'history.folded':
      change(draft, { folds: withFold(draft.view.folds, event) })
      break
    case 'damaged':
      addEntry(draft, { kind: 'line', seq: event.seq, text: event.why })
      break
    case 'session.changed':
      break
    default:
      // A new kind of event must decide here how it is shown.
      event satisfies never
  }
}

function received(draft: ViewDraft, { seq, at, text, from, parts = [], to, exchange }: Of<'message.received'>): void {
  const { notices, running, waiting } = draft.view
  const waits = running.length > 0
  addEntry(draft, {
    ...{ kind: 'message', seq, at, text, from, mark: null },
    ...(parts.length === 0 ? {} : { files: parts.map(chipOf) }),
    ...(to === undefined ? {} : { to }),
    ...(exchange === undefined ? {} : { exchange }),
    ...(waits ? { waits } : {}),
  })
  change(draft, { notices: notices.filter(notice => notice.kind === 'unsaved'), waiting: waiting + (waits ? 1 : 0) })
}

const chipOf = (part: Attachment): FileChip => ({
  ...{ kind: part.type === 'image' ? 'image' : 'file', name: part.name, mediaType: part.mediaType },
  ...(part.type === 'text' ? { text: part.text } : { hash: part.hash }),
})

function began(draft: ViewDraft, event: Of<'turn.started'>): void {
  const { seq, at, turn, voice, cause, name, mode, resumes, continues } = event
  if (voice === FOLD) change(draft, { folds: foldBegan(draft.view.folds, event) })
  // A title or a fold is no part of the conversation; nothing that follows of its turn finds a place, either.
  if (isInternalVoice(voice)) return
  const earlier = resumes === undefined ? undefined : lastStretch(draft, resumes)
  // An answer that was cut at its limit goes on in its own place, as one text.
  if (continues === true && earlier?.entry !== undefined) {
    setEntry(draft, earlier.at, { ...earlier.entry, turn, end: null })
    change(draft, { running: [...draft.view.running, turn] })
    return
  }
  if (earlier?.entry !== undefined) setEntry(draft, earlier.at, { ...earlier.entry, resumed: true })
  const called = { voice, name: name ?? null, mode: mode ?? null }
  addEntry(draft, { kind: 'reply', seq, at, turn, ...called, cause, resumed: false, steps: [], end: null })
  change(draft, { running: [...draft.view.running, turn] })
}

function spoken(draft: ViewDraft, delta: HeardDelta, heard: number | undefined): void {
  const known = findStep(draft, delta)
  if (known !== undefined && known.state !== 'open') return
  if (known === undefined) openStep(draft, { turn: delta.turn, step: delta.step, seq: draft.view.cursor })
  changeSteps(draft, stretchOf(draft, delta), steps => {
    const after = stepsAfterDelta(steps, delta, pageStep)
    const index = after.findLastIndex(({ step }) => step === delta.step)
    const [before, step] = [steps[index], after[index]]
    if (after === steps || before === undefined || step === undefined) return after
    const thought = thinkingTime(before, delta, heard)
    return thought === undefined ? after : after.with(index, { ...step, thought })
  })
}

/** Thinking lasts from its first word until something else begins. */
function thinkingTime({ thought, parts }: Step, { kind }: HeardDelta, heard: number | undefined): Step['thought'] {
  if (heard === undefined) return thought
  if (kind === 'think') return { from: thought?.from ?? heard, to: heard }
  return thought !== undefined && parts.at(-1)?.type === 'think' ? { from: thought.from, to: heard } : thought
}

function planned(draft: ViewDraft, event: Of<'context.planned'>): void {
  const { receipt, turn } = event
  // The same step planned again after it settled is another try; what the first one said stays where it is.
  if (findStep(draft, event)?.state !== 'open') openStep(draft, event)
  changeSteps(draft, stretchOf(draft, event), steps => stepsAfter(steps, event, pageStep))
  if (receipt.voice === FOLD) change(draft, { folds: foldPlanned(draft.view.folds, event) })
  // What the house looks at says nothing about the conversation's own window.
  if (isHouseVoice(receipt.voice)) return
  change(draft, { boundary: boundaryOf(receipt, turn), notWhole: notWholeIn(receipt) })
  if (draft.view.waiting > 0) listened(draft, receipt)
}

/** What was said into running turns waits until a request has it. */
function listened(draft: ViewDraft, receipt: Receipt): void {
  draftEntries(draft).forEach((entry, at) => {
    if (entry.kind !== 'message' || entry.waits === undefined || !isHeardBy(entry, receipt)) return
    const { waits: _, ...message } = entry
    setEntry(draft, at, message)
    change(draft, { waiting: draft.view.waiting - 1 })
  })
}

function isHeardBy({ seq, to }: Extract<ViewEntry, { kind: 'message' }>, { through, degraded, voice, inputs }: Receipt): boolean {
  const isMeant = to === undefined || to.includes(voice)
  // Without its history a request has the message that caused it, and no other.
  return isMeant && (degraded === null ? seq <= through : seq === inputs.cause)
}

function replied(draft: ViewDraft, event: Of<'reply.finished'> | Of<'reply.broken'>): void {
  if (findStep(draft, event) === undefined) openStep(draft, event)
  changeSteps(draft, stretchOf(draft, event), steps => stepsAfter(steps, event, pageStep))
}

type CallEvent = Of<'tool.started'> | Of<'tool.settled'> | Of<'approval.asked'> | Of<'approval.answered'>

/** What becomes of a call is shown where it was asked for; a call that nothing asked for, at the end of its turn. */
function ran(draft: ViewDraft, event: CallEvent): void {
  const asking = findStretch(draft, event.turn, ({ steps }) => steps.some(step => asksFor(step, event.call)))
  const stretch = asking.entry === undefined ? lastStretch(draft, event.turn) : asking
  changeSteps(draft, stretch, steps => stepsAfter(steps, event, pageStep))
}

/** A mark goes on a person's message, or on one reply of a turn; all other entries stay the same objects. */
function marked(entry: ViewEntry, event: Of<'message.marked'>): ViewEntry {
  if (entry.kind === 'message') return entry.seq === event.target ? withMark(entry, event) : entry
  if (entry.kind === 'line' || !entry.steps.some(step => step.seq === event.target)) return entry
  return { ...entry, steps: entry.steps.map(step => (step.seq === event.target ? withMark(step, event) : step)) }
}

function withMark<Marked extends Pick<Step, 'mark' | 'reach'>>(
  { reach: _, ...rest }: Marked,
  { mark, reach }: Of<'message.marked'>,
): Marked {
  return { ...rest, mark, ...(reach === undefined || mark !== 'pin' ? {} : { reach }) } as unknown as Marked
}

function ended(draft: ViewDraft, event: Of<'turn.ended'>): void {
  const { turn, reason, fault, at: when } = event
  const { running, notices } = draft.view
  change(draft, {
    running: running.filter(other => other !== turn),
    notices: notices.filter(({ turn: of, kind }) => of !== turn || kind === 'unsaved' || kind === 'window'),
    folds: foldEnded(draft.view.folds, event),
  })
  const { at, entry } = lastStretch(draft, turn)
  if (entry === undefined) return
  const wait = fault?.retryAfterMs
  const end: Ending = { reason, fault: fault ?? null, ...(wait === undefined ? {} : { retryAt: Date.parse(when) + wait }) }
  const steps = stepsAfter(entry.steps, event, pageStep)
  setEntry(draft, at, { ...entry, steps, end } satisfies ReplyEntry)
}

/**
 * The newer of “unsaved” and “saved” replaces the other, and what one advisor no longer sees replaces what another does not; any
 * other notice replaces one of its own kind and turn.
 */
function withNotice(notices: readonly HeardNotice[], notice: HeardNotice): readonly HeardNotice[] {
  return [...notices.filter(other => topic(other) !== topic(notice)), notice]
}

function topic({ kind, turn }: Notice): string {
  if (kind === 'unsaved' || kind === 'saved') return 'store'
  return kind === 'window' ? kind : `${kind} ${turn ?? ''}`
}
