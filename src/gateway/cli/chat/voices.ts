/** Shows in a chat what the voices say, as they say it. */

import type { Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { HeardDelta } from '../../../model/message/delta.ts'
import { isReply, type SpokenReply } from '../../../model/message/spoken.ts'
import { isHouseVoice, SYNTHESIS } from '../../../model/settings/council.ts'
import { answerState, areOneReply, cutStepOf, isCut } from '../../../model/turn-view/join-cuts.ts'
import { createFreshText } from '../../../model/turn-view/live-text.ts'
import { createTurnViews } from '../../../model/turn-view/turn-view.ts'
import { escapeForTerminal, escapeToOneLine } from '../output/escape-for-terminal.ts'
import { foldSentence } from '../output/fold-words.ts'
import type { Ink } from '../output/ink.ts'
import { counted, timeWords } from '../output/phrase.ts'
import { endLines, fileLine, senderOf } from '../sessions/transcript.ts'
import { createPainter, type Painter } from '../terminal/paint/painter.ts'
import { BOLD, dyed, nestedStyle, type Style } from '../terminal/paint/style.ts'
import type { ChatScreen } from './screen.ts'

/** Shows what the voices say, as they say it. */
export type Voices = {
  readonly hear: (signal: Signal) => void
  /** Prints a name above what follows. */
  readonly title: (name: string) => void
}

export type VoicesOptions = {
  readonly screen: ChatScreen
  readonly ink: Ink
  readonly color: boolean
  /** The style of a name, if its voice has a color. */
  readonly shade: (name: string) => Style
  readonly note: (line: string) => void
  /** Whether a message was typed here and is already on the screen. */
  readonly isOwn: (key: string | undefined) => boolean
}

type Message = Extract<Recorded, { type: 'message.received' }>

/** Turns that Turnwise runs for itself, such as titles, which are no part of the conversation. */
export const isBackgroundVoice = (voice: string): boolean => isHouseVoice(voice) && voice !== SYNTHESIS

export function createVoices({ screen, ink, color, shade, note, isOwn }: VoicesOptions): Voices {
  const fresh = createFreshText()
  const views = createTurnViews()
  const background = new Set<string>()
  /** The turn, step and kind being printed now. */
  let place: Pick<HeardDelta, 'turn' | 'step' | 'kind'> | undefined
  let painter: Painter | undefined

  const close = (): void => {
    if (painter !== undefined) write(painter.end())
    painter = undefined
    place = undefined
    screen.endLine()
  }
  /** Thinking is dimmed line by line. */
  const write = (text: string): void => screen.write(place?.kind === 'think' ? text.split('\n').map(ink.dim).join('\n') : text)
  const aside = (line: string): void => {
    close()
    screen.lines(line)
  }
  /** After a cut the same text continues. */
  const isSameText = ({ turn, step, kind }: HeardDelta): boolean => {
    if (place === undefined || place.kind !== kind || place.turn !== turn) return false
    return place.step === step || (kind === 'text' && areOneReply(views.of(turn)?.steps ?? [], place.step, step))
  }
  const piece = (delta: HeardDelta): void => {
    const { turn, kind } = delta
    if (kind === 'call' || background.has(turn)) return
    const text = fresh(delta)
    if (text === '') return
    if (!isSameText(delta)) {
      close()
      screen.gap()
      const columns = screen.columns()
      painter = createPainter(kind === 'text' ? { columns, color } : { columns, color: false, indent: '│ ' })
    }
    place = delta
    if (painter !== undefined) write(painter.write(text))
  }

  /** A message from another client that arrives during an answer appears above the line that is growing. */
  const elsewhere = (event: Message): void => {
    const lines = [
      `${ink.name(`${escapeToOneLine(senderOf(event))}, elsewhere`)} ${ink.dim(timeWords(event.at))}`,
      ...(event.parts ?? []).map(file => ink.dim(fileLine(file))),
      ...(event.text.trim() === '' ? [] : [escapeForTerminal(event.text)]),
    ]
    if (place === undefined) screen.gap()
    screen.between(...(place === undefined ? lines : ['', ...lines, '']))
  }
  const reply = (event: SpokenReply): void => {
    const { turn, step } = event
    event.parts.forEach((each, part) => {
      if (each.type !== 'call') piece({ turn, step, kind: each.type, part, offset: 0, text: each.text })
    })
    if (!isCut(cutStepOf(event)) || place?.kind !== 'text') close()
  }
  const hearEvent = (event: Recorded): void => {
    // A fold names the turn of the house that made it, and is news all the same.
    if (event.type !== 'history.folded' && 'turn' in event && background.has(event.turn)) return
    const view = views.hear(event)
    const line = asideOf(event, ink)
    if (line !== undefined) aside(line)
    else if (event.type === 'message.received' && !isOwn(event.key)) elsewhere(event)
    else if (event.type === 'turn.started' && isBackgroundVoice(event.voice)) background.add(event.turn)
    else if (isReply(event)) reply(event)
    else if (event.type === 'turn.ended') {
      close()
      screen.lines(
        ...(event.reason === 'cancelled'
          ? [ink.dim('■ stopped; what was said so far is kept')]
          : endLines(event, ink, { last: answerState(view?.steps ?? []), goOn: '/resume' })),
      )
      screen.gap()
      views.forget(event.turn)
    }
  }

  return {
    title: name => {
      close()
      screen.gap()
      screen.lines(dyed({ text: escapeToOneLine(name), style: nestedStyle(BOLD, shade(name)) }, color))
    },
    hear: signal => {
      if (signal.type === 'delta') {
        views.hearDelta(signal.delta)
        piece(signal.delta)
      } else if (signal.type === 'notice') note(signal.notice.message)
      else if (signal.type === 'event') hearEvent(signal.event)
    },
  }
}

/** The line for an event between the words. Commands report their own marks and changes, so those have none. */
function asideOf(event: Recorded, { dim, bad }: Ink): string | undefined {
  switch (event.type) {
    case 'message.received':
      if (event.exchange === undefined) return undefined
      return dim(`— the advisors answer each other, round ${event.exchange.round} of ${event.exchange.of} —`)
    case 'tool.started':
      return dim(`→ ${escapeToOneLine(`${event.tool} ${JSON.stringify(event.args)}`)}`)
    case 'tool.settled':
      return dim(`← ${event.ok ? '' : 'failed: '}${escapeToOneLine(event.outcome)}${linesMore(event.content)}`)
    case 'damaged':
      return bad(`seq ${event.seq} cannot be read: ${escapeToOneLine(event.why)}`)
    case 'history.folded':
      return dim(`— ${foldSentence(event)} —`)
    default:
      return undefined
  }
}

/** How many lines the tool returned, if there was more than one. */
function linesMore(content: string | undefined): string {
  const lines = content === undefined ? 0 : content.trimEnd().split('\n').length
  return lines < 2 ? '' : ` (${counted(lines, 'line')})`
}
