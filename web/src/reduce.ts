import { isHouseVoice } from '../../src/model/council.ts'
import type { HeardDelta, Notice } from '../../src/model/delta.ts'
import type { Event, Recorded } from '../../src/model/event.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import { boundaryOf } from './boundary.ts'
import { joinDelta, readable, settledParts } from './join.ts'
import { changeStep, findReply, findStep, lastStretch, openStep, withEntry } from './place.ts'
import type { Signal } from './signal.ts'
import {
  EMPTY_VIEW,
  type Ending,
  type Entry,
  type FileChip,
  type MessageEntry,
  type ReplyEntry,
  type Run,
  type Step,
  type View,
  type ViewPart,
} from './view.ts'

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

/** What is shown after hearing one more signal. Hearing an event twice, or a delta late, changes nothing. */
export function reduce(view: View, signal: Signal): View {
  switch (signal.type) {
    case 'reset':
      return EMPTY_VIEW
    case 'delta':
      return heard(view, signal.delta)
    case 'notice':
      return { ...view, notices: withNotice(view.notices, signal.notice) }
    case 'unknown':
      return signal.seq > view.cursor ? { ...view, cursor: signal.seq } : view
    case 'event':
      if (signal.event.seq <= view.cursor) return view
      return { ...happened(view, signal.event), cursor: signal.event.seq }
  }
}

function happened(view: View, event: Recorded): View {
  switch (event.type) {
    case 'message.received': {
      const { seq, at, text, from, parts = [], to, exchange } = event
      const notices = view.notices.filter(notice => notice.kind === 'unsaved')
      const files = parts.map(({ type, name }): FileChip => ({ kind: type === 'image' ? 'image' : 'file', name }))
      const message: MessageEntry = {
        ...{ kind: 'message', seq, at, text, from, mark: null },
        ...(files.length === 0 ? {} : { files }),
        ...(to === undefined ? {} : { to }),
        ...(exchange === undefined ? {} : { exchange }),
        ...(view.running.length === 0 ? {} : { waits: true }),
      }
      return { ...view, entries: [...view.entries, message], notices }
    }
    case 'turn.started':
      return began(view, event)
    case 'context.planned':
      return planned(view, event)
    case 'reply.finished':
    case 'reply.broken':
      return replied(view, event)
    case 'tool.started':
      return ran(view, event, { state: 'running' })
    case 'tool.settled': {
      const { ok, outcome, content = '', ms } = event
      return ran(view, event, { state: 'settled', ok, outcome, content, ms })
    }
    case 'approval.asked':
      return ran(view, event, { state: 'waits', approval: event.approval, argv: event.argv })
    case 'approval.answered':
      return ran(view, event, { state: 'asked' })
    case 'turn.ended':
      return ended(view, event)
    case 'message.marked':
      return { ...view, entries: view.entries.map(entry => marked(entry, event)) }
    case 'history.folded':
      return { ...view, entries: [...view.entries, { kind: 'line', seq: event.seq, what: 'folded', text: event.text }] }
    case 'damaged':
      return { ...view, entries: [...view.entries, { kind: 'line', seq: event.seq, what: 'damaged', text: event.why }] }
    case 'session.changed':
      return view
  }
}

function began(view: View, { seq, at, turn, voice, cause, name, mode, resumes }: Of<'turn.started'>): View {
  const earlier = resumes === undefined ? undefined : lastStretch(view, resumes)
  const { entries } = earlier?.entry === undefined ? view : withEntry(view, earlier.at, { ...earlier.entry, resumed: true })
  const called = { voice, name: name ?? null, mode: mode ?? null }
  const reply: ReplyEntry = { kind: 'reply', seq, at, turn, ...called, cause, resumed: false, steps: [], end: null }
  return { ...view, entries: [...entries, reply], running: [...view.running, turn] }
}

function heard(view: View, delta: HeardDelta): View {
  const known = findStep(view, delta)
  if (known !== undefined && known.state !== 'open') return view
  const opened = known === undefined ? openStep(view, { turn: delta.turn, step: delta.step, seq: view.cursor }) : view
  return changeStep(opened, delta, step => {
    const parts = joinDelta(step.parts, delta)
    return parts === step.parts ? step : { ...step, parts }
  })
}

function planned(view: View, event: Of<'context.planned'>): View {
  // The same step planned again after it settled is another try; what the first one said stays where it is.
  const opened = findStep(view, event)?.state === 'open' ? view : openStep(view, event)
  // What the house looks at says nothing about the conversation's own window.
  const boundary = isHouseVoice(event.receipt.voice) ? view.boundary : boundaryOf(event.receipt)
  const { entries, ...rest } = changeStep(opened, event, step => ({ ...step, receipt: event.receipt }))
  return { ...rest, entries: entries.map(entry => heardBy(entry, event.receipt)), boundary }
}

/** What was said into running turns waits until a request has it; whatever was not waiting stays the same object. */
function heardBy(entry: Entry, { through, degraded, voice, inputs }: Receipt): Entry {
  if (entry.kind !== 'message' || entry.waits === undefined || isHouseVoice(voice)) return entry
  const isMeant = entry.to === undefined || entry.to.includes(voice)
  // Without its history a request has the message that caused it, and no other.
  const isThere = degraded === null ? entry.seq <= through : entry.seq === inputs.cause
  if (!isMeant || !isThere) return entry
  const { waits: _, ...message } = entry
  return message
}

function replied(view: View, event: Of<'reply.finished'> | Of<'reply.broken'>): View {
  const opened = findStep(view, event) === undefined ? openStep(view, event) : view
  return changeStep(opened, event, step => ({
    ...step,
    seq: event.seq,
    state: event.type === 'reply.finished' ? 'finished' : 'broken',
    parts: settledParts(event.parts, step.parts),
    usage: event.usage ?? null,
    fault: event.type === 'reply.broken' ? event.fault : null,
  }))
}

/** A run belongs to the newest part that asked for it, as call ids are the provider's and may come again. */
function ran(view: View, event: Extract<Recorded, { call: string }>, run: Run): View {
  const asks = (step: Step): boolean => step.parts.some(part => part.type === 'call' && part.call === event.call)
  const { at, entry } = findReply(view, other => other.turn === event.turn && other.steps.some(asks))
  const index = entry?.steps.findLastIndex(asks) ?? -1
  const step = entry?.steps[index]
  if (entry === undefined || step === undefined) return event.type === 'tool.started' ? withCall(view, event) : view
  const parts = step.parts.map(part => (part.type === 'call' && part.call === event.call ? { ...part, run } : part))
  return withEntry(view, at, { ...entry, steps: entry.steps.with(index, { ...step, parts }) })
}

/** A call that no reply asked for, as far as this page has heard, is shown all the same. */
function withCall(view: View, { turn, call, tool, args }: Of<'tool.started'>): View {
  const last = lastStretch(view, turn).entry?.steps.at(-1)
  if (last === undefined) return view
  const part: ViewPart = { type: 'call', call, tool, args: readable(args), run: { state: 'running' } }
  return changeStep(view, { turn, step: last.step }, step => ({ ...step, parts: [...step.parts, part] }))
}

/** A mark goes on what a person said, or on one reply of a turn; whatever it does not mean stays the same object. */
function marked(entry: Entry, { target, mark }: Of<'message.marked'>): Entry {
  if (entry.kind === 'message') return entry.seq === target ? { ...entry, mark } : entry
  if (entry.kind === 'line' || !entry.steps.some(step => step.seq === target)) return entry
  return { ...entry, steps: entry.steps.map(step => (step.seq === target ? { ...step, mark } : step)) }
}

function ended(view: View, event: Of<'turn.ended'>): View {
  const running = view.running.filter(turn => turn !== event.turn)
  const notices = view.notices.filter(notice => notice.turn !== event.turn || notice.kind === 'unsaved')
  const { at, entry } = lastStretch(view, event.turn)
  if (entry === undefined) return { ...view, running, notices }
  const end: Ending = { reason: event.reason, fault: event.fault ?? null }
  const steps = entry.steps.map((step): Step => (step.state === 'open' ? { ...step, state: 'broken' } : step))
  return { ...withEntry(view, at, { ...entry, steps, end }), running, notices }
}

/** Unsaved and saved speak of one thing, so the later one stands alone; other notices replace their like. */
function withNotice(notices: readonly Notice[], notice: Notice): readonly Notice[] {
  return [...notices.filter(other => topic(other) !== topic(notice)), notice]
}

const topic = ({ kind, turn }: Notice): string => (kind === 'unsaved' || kind === 'saved' ? 'store' : `${kind} ${turn ?? ''}`)
