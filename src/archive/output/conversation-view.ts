/** A conversation piece by piece, as exports write it: each message, and behind it the turns that answer it. */
import type { ApprovalAnswer, EndReason, Recorded, TurnStarted } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import { isHouseVoice, isInternalVoice, SYNTHESIS } from '../../model/settings/council.ts'
import { firstBroken, joinedReplies } from '../../model/turn-view/join-cuts.ts'
import { isOfTurn, type PartView, type StepView, type TurnEvent } from '../../model/turn-view/step-view.ts'
import { createTurnViews, type TurnView } from '../../model/turn-view/turn-view.ts'
import { type ExportedRequest, exportedRequest, withUsage } from './request-view.ts'

export type { ExportedRequest } from './request-view.ts'

type Of<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>

/** A call with its result. */
export type ExportedCall = {
  readonly type: 'call'
  readonly call: string
  readonly tool: string
  /** The arguments as the model wrote them. */
  readonly args: string
  readonly argv?: readonly string[]
  readonly answer?: ApprovalAnswer
  readonly reason?: string
  readonly result?: Pick<Of<'tool.settled'>, 'ok' | 'outcome' | 'content' | 'images'>
}

export type ExportedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  | ExportedCall

/** One turn as people read it. */
export type ExportedTurn = {
  readonly name: string
  readonly voice: string
  readonly at: string
  /** How the earlier turn ended that this one resumes. */
  readonly resumes?: EndReason
  readonly parts: readonly ExportedPart[]
  /** True if the reply was cut off and then continued. */
  readonly wentOn: boolean
  /** True if the reply reached the limit of its length. */
  readonly isCutAtLimit: boolean
  readonly requests: readonly ExportedRequest[]
  /** Undefined if the turn's end is not among the events. */
  readonly end?: { readonly reason: EndReason; readonly fault?: Fault }
}

/** One piece of a conversation: something that was said, or all turns that answer it. */
export type ConversationPiece =
  | { readonly type: 'message'; readonly message: Of<'message.received'> }
  | { readonly type: 'turns'; readonly turns: readonly ExportedTurn[] }
  | { readonly type: 'marked'; readonly mark: Of<'message.marked'> }
  | { readonly type: 'folded'; readonly fold: Of<'history.folded'> }
  | { readonly type: 'damaged'; readonly row: Of<'damaged'> }

/** Takes events one by one, and gives back the pieces that are complete by then. */
export type ConversationView = {
  readonly hear: (event: Recorded) => readonly ConversationPiece[]
  readonly end: () => readonly ConversationPiece[]
}

/** The most events that may wait for a turn to end. A turn that never ends must not hold back everything after it. */
const MOST_WAITING = 2000

type Turn = Pick<ExportedTurn, 'name' | 'voice' | 'at' | 'resumes'> & { view: TurnView; requests: readonly ExportedRequest[] }

/** A place in the queue: a finished piece, or turns that answer one message side by side. */
type Place = { readonly piece: ConversationPiece } | { readonly cause: number; readonly turns: Turn[]; readonly isHouse: boolean }

export function createConversationView(): ConversationView {
  const ends = new Map<string, EndReason>()
  const names = new Map<string, { readonly name: string; readonly voice: string }>()
  const views = createTurnViews()
  /** The turns in the queue, by the first turn of each answer. */
  const turns = new Map<TurnId, Turn>()
  const internal = new Set<TurnId>()
  let line: Place[] = []
  let waiting = 0

  const begin = (event: Of<'turn.started'>, view: TurnView): void => {
    const { turn, voice, cause, resumes } = event
    names.set(turn, { name: nameOf(event), voice })
    // A reply that was cut at its limit and its continuation are one answer.
    if (update(view) !== undefined) return
    const before = resumes === undefined ? undefined : ends.get(resumes)
    place(view, { cause, isHouse: isHouseVoice(voice), at: event.at, ...(before === undefined ? {} : { resumes: before }) })
  }
  const update = (view: TurnView): Turn | undefined => {
    const turn = turns.get(firstOf(view))
    if (turn !== undefined) turn.view = view
    return turn
  }
  /** Puts a turn beside the others that answer the same message, unless those have been given out already. */
  const place = (
    view: TurnView,
    { cause, isHouse, ...rest }: { cause: number; isHouse: boolean; at: string; resumes?: EndReason },
  ): Turn => {
    const known = names.get(firstOf(view)) ?? { name: 'assistant', voice: 'assistant' }
    const turn: Turn = { ...known, ...rest, view, requests: [] }
    turns.set(firstOf(view), turn)
    const beside = line.find(each => 'turns' in each && each.cause === cause && !each.isHouse && !isHouse)
    if (beside !== undefined && 'turns' in beside) beside.turns.push(turn)
    else line.push({ cause, turns: [turn], isHouse })
    return turn
  }
  /** An event of a turn that was given out already, or that never began, gets a place of its own. */
  const turnOf = (view: TurnView, { at }: Recorded): Turn => update(view) ?? place(view, { cause: 0, isHouse: true, at })

  const hear = (event: Recorded): void => {
    // A turn that makes the title is left out, because the title is above the whole conversation. So is one that makes a fold.
    if (event.type === 'turn.started' && isInternalVoice(event.voice)) internal.add(event.turn)
    if (isInternal(event) || (isOfTurn(event) && internal.has(event.turn))) return
    const view = views.hear(event)
    if (view !== undefined && isOfTurn(event)) hearTurn(event, view)
    switch (event.type) {
      case 'message.received':
        line.push({ piece: { type: 'message', message: event } })
        break
      case 'message.marked':
        line.push({ piece: { type: 'marked', mark: event } })
        break
      case 'history.folded':
        line.push({ piece: { type: 'folded', fold: event } })
        break
      case 'damaged':
        line.push({ piece: { type: 'damaged', row: event } })
        break
    }
  }
  const hearTurn = (event: TurnEvent, view: TurnView): void => {
    if (event.type === 'turn.started') {
      begin(event, view)
      return
    }
    const turn = turnOf(view, event)
    if (event.type === 'context.planned') turn.requests = [...turn.requests, exportedRequest(event)]
    if (isReply(event)) turn.requests = withUsage(turn.requests, event.step, event.usage)
    if (event.type !== 'turn.ended') return
    if (event.reason !== 'done') ends.set(event.turn, event.reason)
    names.delete(event.turn)
  }

  /** Takes complete places from the front of the queue, or all places if `all` is true. */
  const take = (all: boolean): readonly ConversationPiece[] => {
    const found = all ? -1 : line.findIndex((each, index) => isOpenPlace(each, index === line.length - 1))
    const count = found === -1 ? line.length : found
    const taken = line.slice(0, count)
    line = line.slice(count)
    if (line.length === 0) waiting = 0
    for (const { view } of taken.flatMap(each => ('turns' in each ? each.turns : []))) {
      turns.delete(firstOf(view))
      views.forget(firstOf(view))
    }
    return taken.map(each => ('piece' in each ? each.piece : { type: 'turns', turns: each.turns.map(exportedTurn) }))
  }

  return {
    hear: event => {
      hear(event)
      waiting += 1
      return take(waiting > MOST_WAITING)
    },
    end: () => take(true),
  }
}

/** True for turns that have not ended. The last place is open too, because its turns may still be continued. */
const isOpenPlace = (place: Place, isLast: boolean): boolean =>
  'turns' in place && place.turns.some(({ view }) => view.end === null || (isLast && isLastCutAtLimit(view)))

function isLastCutAtLimit({ steps }: TurnView): boolean {
  const last = steps.at(-1)
  return last !== undefined && isCutAtLimit(last)
}

/** The turn that an answer begins with. Turns that continue it come after. */
const firstOf = ({ turns: [first] }: TurnView): TurnId => first

function isInternal(event: Recorded): boolean {
  if (event.type === 'context.planned') return isInternalVoice(event.receipt.voice)
  if (event.type === 'reply.finished' || event.type === 'reply.broken') return event.internal === true
  return (event.type === 'turn.started' || event.type === 'turn.ended') && isInternalVoice(event.voice)
}

/** The voice's name at that time, or else its key. A turn of the house is named by its kind. */
function nameOf({ voice, name, mode }: TurnStarted): string {
  if (voice === SYNTHESIS) return mode === undefined ? 'Synthesis' : `Synthesis (${mode})`
  return name ?? voice
}

function exportedTurn({ name, voice, at, resumes, view, requests }: Turn): ExportedTurn {
  return {
    ...{ name, voice, at, requests },
    ...(resumes === undefined ? {} : { resumes }),
    parts: exportedParts(view.steps),
    wentOn: firstBroken(view.steps) !== undefined,
    isCutAtLimit: isLastCutAtLimit(view),
    ...(view.end === null ? {} : { end: view.end }),
  }
}

/** A call that was cut off has no whole arguments and was never made, so it is left out. */
const exportedParts = (steps: readonly StepView[]): readonly ExportedPart[] =>
  joinedReplies(steps).flatMap(({ parts }) =>
    parts.flatMap(({ part, from }) => (part.type === 'call' && steps[from.step]?.state === 'broken' ? [] : [exportedPart(part)])),
  )

function exportedPart(part: PartView): ExportedPart {
  if (part.type !== 'call') return { type: part.type, text: part.text }
  const { call, tool, args, raw, approval, run } = part
  const argv = (run.state === 'settled' ? run.argv : undefined) ?? approval?.argv
  return {
    ...{ type: 'call', call, tool, args: raw ?? JSON.stringify(args) ?? '' },
    ...(argv === undefined ? {} : { argv }),
    ...(approval?.answer === undefined ? {} : { answer: approval.answer }),
    ...(approval?.reason === undefined ? {} : { reason: approval.reason }),
    ...(run.state === 'settled' ? { result: run } : {}),
  }
}
