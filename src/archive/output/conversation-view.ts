import type { ApprovalAnswer, EndReason, Part, Recorded, TurnStarted } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import { isCutAtLimit } from '../../model/message/spoken.ts'
import { isHouseVoice, SYNTHESIS, TITLE } from '../../model/settings/council.ts'
import { type ToldRequest, toldRequest, withUsage } from './request-view.ts'

export type { ToldRequest } from './request-view.ts'

type Of<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>

/** A call with what became of it. */
export type ToldCall = {
  readonly type: 'call'
  readonly call: string
  readonly tool: string
  /** As the model wrote them. */
  readonly args: string
  readonly argv?: readonly string[]
  readonly answer?: ApprovalAnswer
  readonly reason?: string
  readonly result?: Pick<Of<'tool.settled'>, 'ok' | 'outcome' | 'content'>
}

export type ToldPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  | ToldCall

/** One turn as people read it. */
export type ToldTurn = {
  readonly name: string
  readonly voice: string
  readonly at: string
  /** How the turn ended that this one goes on with. */
  readonly resumes?: EndReason
  readonly parts: readonly ToldPart[]
  /** It was cut off in between, and went on. */
  readonly wentOn: boolean
  /** It reached the limit of its length. */
  readonly isCutAtLimit: boolean
  readonly requests: readonly ToldRequest[]
  /** Nothing where its end is not in what was told. */
  readonly end?: { readonly reason: EndReason; readonly fault?: Fault }
}

/** A conversation piece by piece: what was said, and together what answered it. */
export type Told =
  | { readonly type: 'message'; readonly message: Of<'message.received'> }
  | { readonly type: 'turns'; readonly turns: readonly ToldTurn[] }
  | { readonly type: 'marked'; readonly mark: Of<'message.marked'> }
  | { readonly type: 'folded'; readonly fold: Of<'history.folded'> }
  | { readonly type: 'damaged'; readonly row: Of<'damaged'> }

/** Takes events one after the other and gives back what is complete by then. */
export type Telling = { readonly hear: (event: Recorded) => readonly Told[]; readonly end: () => readonly Told[] }

/** So many events may wait for a turn to end; one that never does must not hold back all that comes after it. */
const MOST_WAITING = 2000

type Turn = {
  -readonly [Key in keyof ToldTurn]: ToldTurn[Key]
} & { id: string; isCut: boolean; parts: ToldPart[]; requests: ToldRequest[] }

/** What stands in line: done already, or turns that answer one message side by side. */
type Place = { readonly told: Told } | { readonly cause: number; readonly turns: Turn[]; readonly isHouse: boolean }

export function createTelling(): Telling {
  const ends = new Map<string, EndReason>()
  const names = new Map<string, { readonly name: string; readonly voice: string }>()
  const open = new Map<string, Turn>()
  let line: Place[] = []
  let waiting = 0

  const begin = (event: TurnStarted & { readonly at: string }): void => {
    const { turn, voice, cause, resumes, continues } = event
    names.set(turn, { name: nameOf(event), voice })
    const continued =
      continues === true ? line.flatMap(each => ('turns' in each ? each.turns : [])).find(({ id }) => id === resumes) : undefined
    if (continued !== undefined) {
      // What was cut at its limit and what it goes on with are one answer.
      Object.assign(continued, { id: turn, end: undefined, isCut: true, isCutAtLimit: false })
      open.set(turn, continued)
      return
    }
    const before = resumes === undefined ? undefined : ends.get(resumes)
    place(turn, { cause, isHouse: isHouseVoice(voice), at: event.at, ...(before === undefined ? {} : { resumes: before }) })
  }
  /** Beside the others who answer the same message, as long as those are not told yet. */
  const place = (
    id: string,
    { cause, isHouse, ...rest }: { cause: number; isHouse: boolean; at: string; resumes?: EndReason },
  ) => {
    const known = names.get(id) ?? { name: 'assistant', voice: 'assistant' }
    const turn: Turn = { ...known, ...rest, id, parts: [], requests: [], wentOn: false, isCut: false, isCutAtLimit: false }
    open.set(id, turn)
    const beside = line.find(each => 'turns' in each && each.cause === cause && !each.isHouse && !isHouse)
    if (beside !== undefined && 'turns' in beside) beside.turns.push(turn)
    else line.push({ cause, turns: [turn], isHouse })
    return turn
  }
  const turnOf = (event: { readonly turn: string; readonly at: string }): Turn =>
    open.get(event.turn) ?? place(event.turn, { cause: 0, isHouse: true, at: event.at })

  const hear = (event: Recorded): void => {
    // What names a session is its title, which stands above everything.
    if (isOfTitle(event)) return
    switch (event.type) {
      case 'message.received':
        line.push({ told: { type: 'message', message: event } })
        break
      case 'turn.started':
        begin(event)
        break
      case 'context.planned':
        turnOf(event).requests.push(toldRequest(event))
        break
      case 'reply.finished':
      case 'reply.broken':
        reply(turnOf(event), event)
        break
      case 'tool.settled':
        settle(turnOf(event), event.call, { result: event, ...(event.argv === undefined ? {} : { argv: event.argv }) })
        break
      case 'approval.asked':
        settle(turnOf(event), event.call, { argv: event.argv })
        break
      case 'approval.answered':
        settle(turnOf(event), event.call, answerOf(event))
        break
      case 'turn.ended': {
        const { turn, reason, fault } = event
        if (reason !== 'done') ends.set(turn, reason)
        turnOf(event).end = { reason, ...(fault === undefined ? {} : { fault }) }
        open.delete(turn)
        names.delete(turn)
        break
      }
      case 'message.marked':
        line.push({ told: { type: 'marked', mark: event } })
        break
      case 'history.folded':
        line.push({ told: { type: 'folded', fold: event } })
        break
      case 'damaged':
        line.push({ told: { type: 'damaged', row: event } })
        break
      case 'tool.started':
      case 'session.changed':
        break
    }
  }

  /** From the front, as far as nothing is missing; everything when it has to be. */
  const take = (all: boolean): readonly Told[] => {
    const found = all ? -1 : line.findIndex((each, index) => isOpenPlace(each, index === line.length - 1))
    const count = found === -1 ? line.length : found
    const taken = line.slice(0, count)
    line = line.slice(count)
    if (line.length === 0) waiting = 0
    for (const each of taken) if ('turns' in each) for (const { id } of each.turns) open.delete(id)
    return taken.map(each => ('told' in each ? each.told : { type: 'turns', turns: each.turns }))
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

/** Turns that have not ended, or, as long as nothing came after them, that may still be continued. */
const isOpenPlace = (place: Place, isLast: boolean): boolean =>
  'turns' in place && place.turns.some(({ end, isCutAtLimit: isCut }) => end === undefined || (isLast && isCut))

function isOfTitle(event: Recorded): boolean {
  if (event.type === 'context.planned') return event.receipt.voice === TITLE
  if (event.type === 'reply.finished' || event.type === 'reply.broken') return event.internal === true
  return (event.type === 'turn.started' || event.type === 'turn.ended') && event.voice === TITLE
}

/** As it was called then, else by its key; what the house makes of a round by its kind. */
function nameOf({ voice, name, mode }: TurnStarted): string {
  if (voice === SYNTHESIS) return mode === undefined ? 'Synthesis' : `Synthesis (${mode})`
  return name ?? voice
}

/** What was cut off and what it goes on with are one text; a call that was cut off has no whole arguments. */
function reply(turn: Turn, event: Of<'reply.finished' | 'reply.broken'>): void {
  const { type, step, parts, usage } = event
  const isBroken = type === 'reply.broken'
  turn.isCutAtLimit = event.type === 'reply.finished' && isCutAtLimit(event)
  turn.requests = withUsage(turn.requests, step, usage)
  const whole = parts.flatMap(part => (isBroken && part.type === 'call' ? [] : [toldPart(part)]))
  const seam = turn.isCut ? turn.parts.findLastIndex(part => part.type === 'text') : -1
  const next = whole.findIndex(part => part.type === 'text')
  const [head, tail] = [turn.parts[seam], whole[next]]
  if (turn.isCut) turn.wentOn = true
  if (head?.type === 'text' && tail?.type === 'text') {
    const text: ToldPart = { type: 'text', text: head.text + tail.text }
    turn.parts = [
      ...turn.parts.slice(0, seam),
      ...whole.slice(0, next),
      text,
      ...turn.parts.slice(seam + 1),
      ...whole.slice(next + 1),
    ]
  } else turn.parts.push(...whole)
  turn.isCut = isBroken
}

function toldPart(part: Part): ToldPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'think') return { type: 'think', text: part.text }
  const { call, tool, args, raw } = part
  return { type: 'call', call, tool, args: raw ?? JSON.stringify(args) ?? '' }
}

function settle(turn: Turn, call: string, news: Partial<ToldCall>): void {
  const index = turn.parts.findLastIndex(part => part.type === 'call' && part.call === call)
  const known = turn.parts[index]
  if (known?.type === 'call') turn.parts[index] = { ...known, ...news }
}

const answerOf = ({ answer, reason }: Of<'approval.answered'>): Partial<ToldCall> => ({
  answer,
  ...(reason === undefined ? {} : { reason }),
})
