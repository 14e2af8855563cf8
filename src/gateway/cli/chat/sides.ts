// Shows a council side by side where the terminal is wide enough.
import type { Signal } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import { isReply } from '../../../model/message/spoken.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'
import { cutStepOf, isCut } from '../../../model/turn-view/join-cuts.ts'
import { createFreshText } from '../../../model/turn-view/live-text.ts'
import {
  type ColumnEnd,
  type Columns,
  type ColumnVoice,
  createColumns,
  FRAME_MS,
  WIDE_ENOUGH,
} from '../terminal/paint/columns.ts'
import type { ChatScreen } from './screen.ts'

/** Shows a council side by side if the terminal has room, or else one voice after another. */
export type SideBySideVoices = {
  readonly hear: (signal: Signal) => void
  /** Draws again because the terminal has a new size. */
  readonly resize: () => void
  /** Drops the current round because the person went to another session. */
  readonly forget: () => void
}

export type SideBySideOptions = {
  readonly screen: ChatScreen
  readonly rows: () => number
  readonly color: boolean
  /** The advisors of the council that answers. */
  readonly advisors: () => readonly ColumnVoice[]
  /** Shows every voice that has no column. */
  readonly others: { readonly hear: (signal: Signal) => void }
}

type Round = {
  readonly seq: number
  readonly columns: Columns
  readonly turns: Map<string, string>
  /** The voices that have not finished yet. */
  readonly waiting: Set<string>
}

/** Rows reserved for the line being typed and the footer below it. */
const BELOW = 3

export function createSideBySide({ screen, rows, color, advisors, others }: SideBySideOptions): SideBySideVoices {
  const fresh = createFreshText()
  /** Voices whose last step has ended. */
  const paused = new Set<string>()
  let round: Round | undefined
  let timer: NodeJS.Timeout | undefined

  const size = (): { columns: number; rows: number } => ({ columns: screen.columns(), rows: Math.max(8, rows() - BELOW) })
  const show = (): void => {
    timer = undefined
    screen.live(round?.columns.view() ?? [])
  }
  const changed = (): void => {
    timer ??= setTimeout(show, FRAME_MS)
  }
  const end = (): void => {
    const whole = round?.columns.end() ?? ''
    round = undefined
    clearTimeout(timer)
    show()
    if (whole === '') return
    screen.gap()
    screen.lines(...whole.trimEnd().split('\n'))
    screen.gap()
  }
  const begin = (event: Extract<Recorded, { type: 'message.received' }>): void => {
    const asked = event.voices?.filter(voice => !isHouseVoice(voice)) ?? []
    if (round !== undefined || asked.length < 2 || screen.columns() < WIDE_ENOUGH) return
    const known = new Map(advisors().map(voice => [voice.id, voice]))
    const voices = asked.map(id => known.get(id) ?? { id, name: id })
    round = { seq: event.seq, columns: createColumns({ voices, color, ...size() }), turns: new Map(), waiting: new Set(asked) }
    changed()
  }
  const write = (columns: Columns, voice: string, text: string): void => {
    if (text !== '') columns.write(voice, paused.delete(voice) ? `\n\n${text}` : text)
  }
  const hearEvent = ({ columns, waiting }: Round, voice: string, event: Recorded): void => {
    if (isReply(event)) {
      event.parts.forEach((each, part) => {
        if (each.type === 'text') write(columns, voice, fresh({ ...event, part, offset: 0, text: each.text }))
      })
      // After a cut the same text continues. Any other step begins a new paragraph.
      if (!isCut(cutStepOf(event))) paused.add(voice)
    }
    if (event.type === 'turn.ended') {
      columns.settle(voice, endOf(event))
      waiting.delete(voice)
      paused.delete(voice)
    }
    if (waiting.size === 0) end()
    else changed()
  }
  /** Whether the signal belongs to a voice that has a column. */
  const isHeard = (now: Round, signal: Signal): boolean => {
    if (signal.type === 'delta') {
      const voice = now.turns.get(signal.delta.turn)
      if (voice === undefined) return false
      if (signal.delta.kind === 'text') write(now.columns, voice, fresh(signal.delta))
      changed()
      return true
    }
    if (signal.type !== 'event') return false
    const { event } = signal
    if (event.type === 'turn.started' && event.cause === now.seq && now.waiting.has(event.voice))
      now.turns.set(event.turn, event.voice)
    const voice = 'turn' in event ? now.turns.get(event.turn) : undefined
    if (voice === undefined) return false
    hearEvent(now, voice, event)
    return true
  }

  return {
    hear: signal => {
      if (round !== undefined && isHeard(round, signal)) return
      others.hear(signal)
      if (signal.type === 'event' && signal.event.type === 'message.received') begin(signal.event)
    },
    resize: () => {
      if (round === undefined) return
      const { columns, rows: height } = size()
      round.columns.resize(columns, height)
      show()
    },
    forget: () => {
      round = undefined
      clearTimeout(timer)
      show()
    },
  }
}

function endOf({ reason, fault }: Extract<Recorded, { type: 'turn.ended' }>): ColumnEnd {
  if (reason === 'done') return { state: 'done' }
  if (reason === 'failed') return { state: 'failed', words: fault?.message ?? 'not answered' }
  return { state: 'stopped', ...(reason === 'limit' ? { words: fault?.message ?? 'at the step limit' } : {}) }
}
