/** A turn as people see it: its steps, calls with results and approvals, and its end, folded from events and live text. */
import type { EndReason, Event, Recorded } from '../event.ts'
import type { Fault } from '../fault.ts'
import type { TurnId } from '../ids.ts'
import type { HeardDelta } from '../message/delta.ts'
import { isOfTurn, newStep, type StepView, stepsAfter, stepsAfterDelta, type TurnEvent } from './step-view.ts'

/** One answer: a turn, and the turns that continue its text after it reached its limit. */
export type TurnView = {
  /** In order; the last one is the one that may still speak. */
  readonly turns: readonly [TurnId, ...TurnId[]]
  /** Absent where its start was not heard. */
  readonly started?: Extract<Event, { type: 'turn.started' }>
  readonly steps: readonly StepView[]
  /** Null while it runs. */
  readonly end: TurnEnd | null
}

export type TurnEnd = { readonly reason: EndReason; readonly fault?: Fault }

/** A turn of which nothing was heard yet. */
export const newTurn = (turn: TurnId): TurnView => ({ turns: [turn], steps: [], end: null })

/** A turn after one more of its events, or of the turn that continues it. */
export function turnAfter(view: TurnView, event: TurnEvent): TurnView {
  const steps = stepsAfter(view.steps, event, newStep)
  if (event.type === 'turn.started')
    return view.turns.includes(event.turn)
      ? { ...view, started: view.started ?? event }
      : { ...view, turns: [...view.turns, event.turn], end: null }
  if (event.type !== 'turn.ended') return steps === view.steps ? view : { ...view, steps }
  const { reason, fault } = event
  return { ...view, steps, end: { reason, ...(fault === undefined ? {} : { fault }) } }
}

export function turnAfterDelta(view: TurnView, delta: HeardDelta): TurnView {
  const steps = stepsAfterDelta(view.steps, delta, newStep)
  return steps === view.steps ? view : { ...view, steps }
}

/** Folds the events and deltas of many turns, whose order among each other does not matter. */
export type TurnViews = {
  /** The turn of an event after it, if it belongs to one. */
  readonly hear: (event: Recorded) => TurnView | undefined
  readonly hearDelta: (delta: HeardDelta) => TurnView
  /** The answer that a turn gives or is a part of. */
  readonly of: (turn: TurnId) => TurnView | undefined
  /** Frees what is known of an answer. What is heard of its turns later begins anew. */
  readonly forget: (turn: TurnId) => void
}

export function createTurnViews(): TurnViews {
  /** By the first turn of each answer. */
  const views = new Map<TurnId, TurnView>()
  /** The first turn of the answer that a later turn continues. */
  const firsts = new Map<TurnId, TurnId>()
  const firstOf = (turn: TurnId): TurnId => firsts.get(turn) ?? turn

  const change = (turn: TurnId, after: (view: TurnView) => TurnView): TurnView => {
    const first = firstOf(turn)
    const view = after(views.get(first) ?? newTurn(turn))
    views.set(first, view)
    return view
  }
  return {
    hear: event => {
      if (!isOfTurn(event)) return undefined
      // If the continued turn is unknown, the new turn's text is shown alone.
      const before = event.type === 'turn.started' && event.continues === true ? event.resumes : undefined
      if (before !== undefined && views.has(firstOf(before))) firsts.set(event.turn, firstOf(before))
      return change(event.turn, view => turnAfter(view, event))
    },
    hearDelta: delta => change(delta.turn, view => turnAfterDelta(view, delta)),
    of: turn => views.get(firstOf(turn)),
    forget: turn => {
      const first = firstOf(turn)
      for (const each of views.get(first)?.turns ?? []) firsts.delete(each)
      views.delete(first)
    },
  }
}

/** A turn and, before it, those whose answer it goes on with, as far as they are among the events. */
export function turnsContinuedBy(events: readonly Recorded[], turn: TurnId): readonly TurnId[] {
  const turns = [turn]
  for (const event of events.toReversed())
    if (event.type === 'turn.started' && event.turn === turns[0] && event.continues === true && event.resumes !== undefined)
      turns.unshift(event.resumes)
  return turns
}

/** For each turn that continues another's text, the first turn of the answer they give together. */
export function firstTurns(events: readonly Recorded[]): ReadonlyMap<TurnId, TurnId> {
  const firsts = new Map<TurnId, TurnId>()
  for (const event of events)
    if (event.type === 'turn.started' && event.continues === true && event.resumes !== undefined)
      firsts.set(event.turn, firsts.get(event.resumes) ?? event.resumes)
  return firsts
}
