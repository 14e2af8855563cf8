import type { Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { HeardDelta } from '../../../model/message/delta.ts'
import { isReply, type SpokenReply } from '../../../model/message/spoken.ts'
import { isHouseVoice, SYNTHESIS } from '../../../model/settings/council.ts'
import { harmless, oneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import { counted, timeOf } from '../output/phrase.ts'
import { createReplyStates, endLines, fileLine, senderOf } from '../sessions/transcript.ts'
import { createPainter, type Painter } from '../terminal/paint/painter.ts'
import { BOLD, dyed, type Style, within } from '../terminal/paint/style.ts'
import { createPieces } from './pieces.ts'
import type { Screen } from './screen.ts'

/** Shows what is said, as it is said. */
export type Voices = {
  readonly hear: (signal: Signal) => void
  /** Puts a name above what follows. */
  readonly title: (name: string) => void
}

export type VoicesOptions = {
  readonly screen: Screen
  readonly ink: Ink
  readonly color: boolean
  /** The style of a name, where its voice has a colour. */
  readonly shade: (name: string) => Style
  readonly note: (line: string) => void
  /** Whether a message was typed here, and stands above already. */
  readonly isOwn: (key: string | undefined) => boolean
}

type Message = Extract<Recorded, { type: 'message.received' }>

/** Turns of the house that are no part of what people say to each other. */
export const isPassing = (voice: string): boolean => isHouseVoice(voice) && voice !== SYNTHESIS

export function createVoices({ screen, ink, color, shade, note, isOwn }: VoicesOptions): Voices {
  const fresh = createPieces()
  const replies = createReplyStates()
  const passing = new Set<string>()
  /** What is being printed: of which turn, step and kind. */
  let place = ''
  let painter: Painter | undefined
  /** The step of a turn that a text goes on with after a cut. */
  let afterCut = ''

  const close = (): void => {
    if (painter !== undefined) write(painter.end())
    painter = undefined
    place = ''
    screen.endLine()
  }
  /** Thoughts are pale, line by line. */
  const write = (text: string): void => screen.write(place.endsWith('think') ? text.split('\n').map(ink.dim).join('\n') : text)
  const aside = (line: string): void => {
    close()
    screen.lines(line)
  }
  const piece = (delta: HeardDelta): void => {
    const { turn, step, kind } = delta
    if (kind === 'call' || passing.has(turn)) return
    const text = fresh(delta)
    if (text === '') return
    const here = `${turn} ${step} ${kind}`
    const goesOn = kind === 'text' && afterCut === `${turn} ${step}` && place.endsWith('text')
    if (place !== here && !goesOn) {
      close()
      screen.gap()
      const columns = screen.columns()
      painter = createPainter(kind === 'text' ? { columns, color } : { columns, color: false, indent: '│ ' })
    }
    place = here
    if (painter !== undefined) write(painter.write(text))
  }

  /** What somebody else says in the middle of an answer stands above the line that is growing. */
  const elsewhere = (event: Message): void => {
    const lines = [
      `${ink.name(`${oneLine(senderOf(event))}, elsewhere`)} ${ink.dim(timeOf(event.at))}`,
      ...(event.parts ?? []).map(file => ink.dim(fileLine(file))),
      ...(event.text.trim() === '' ? [] : [harmless(event.text)]),
    ]
    if (place === '') screen.gap()
    screen.between(...(place === '' ? lines : ['', ...lines, '']))
  }
  const reply = (event: SpokenReply): void => {
    const { turn, step } = event
    event.parts.forEach((each, part) => {
      if (each.type !== 'call') piece({ turn, step, kind: each.type, part, offset: 0, text: each.text })
    })
    // What follows a cut is the same text.
    if (event.type === 'reply.broken' && place.endsWith('text')) afterCut = `${turn} ${step + 1}`
    else close()
  }
  const hearEvent = (event: Recorded): void => {
    if ('turn' in event && passing.has(event.turn)) return
    replies.hear(event)
    const line = asideOf(event, ink)
    if (line !== undefined) aside(line)
    else if (event.type === 'message.received' && !isOwn(event.key)) elsewhere(event)
    else if (event.type === 'turn.started' && isPassing(event.voice)) passing.add(event.turn)
    else if (isReply(event)) reply(event)
    else if (event.type === 'turn.ended') {
      close()
      screen.lines(
        ...(event.reason === 'cancelled'
          ? [ink.dim('■ stopped; what was said so far is kept')]
          : endLines(event, ink, { last: replies.of(event.turn), goOn: '/resume' })),
      )
      screen.gap()
    }
  }

  return {
    title: name => {
      close()
      screen.gap()
      screen.lines(dyed({ text: oneLine(name), style: within(BOLD, shade(name)) }, color))
    },
    hear: signal => {
      if (signal.type === 'delta') piece(signal.delta)
      else if (signal.type === 'notice') note(signal.notice.message)
      else if (signal.type === 'event') hearEvent(signal.event)
    },
  }
}

/** What is said in one line between the words; marks and changes are told by whoever makes them. */
function asideOf(event: Recorded, { dim, bad }: Ink): string | undefined {
  switch (event.type) {
    case 'message.received':
      if (event.exchange === undefined) return undefined
      return dim(`— the advisors answer each other, round ${event.exchange.round} of ${event.exchange.of} —`)
    case 'tool.started':
      return dim(`→ ${oneLine(`${event.tool} ${JSON.stringify(event.args)}`)}`)
    case 'tool.settled':
      return dim(`← ${event.ok ? '' : 'failed: '}${oneLine(event.outcome)}${linesMore(event.content)}`)
    case 'damaged':
      return bad(`seq ${event.seq} cannot be read: ${oneLine(event.why)}`)
    case 'history.folded':
      return dim(`— everything up to seq ${event.through} is folded into a summary —`)
    default:
      return undefined
  }
}

/** How much more a tool said than its one line. */
function linesMore(content: string | undefined): string {
  const lines = content === undefined ? 0 : content.trimEnd().split('\n').length
  return lines < 2 ? '' : ` (${counted(lines, 'line')})`
}
