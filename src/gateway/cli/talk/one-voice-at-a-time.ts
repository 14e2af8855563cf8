// Prints several voices one after another.
import type { Signal } from '../../../engine.ts'
import { voiceName } from '../output/voice-name.ts'
import type { AnswerSpeaker, TitledSpeaker } from './speaker.ts'

/**
 * Prints several voices that speak at the same time. The current voice is printed under its name, and the words of the others
 * wait until it is done. On a terminal the current voice appears word by word. Elsewhere each voice appears when it is done, so
 * that no answer waits for a slower one. A voice without a name, in a session without a council, is printed directly.
 */
export function oneVoiceAtATime(speaker: TitledSpeaker, isWatched: boolean): AnswerSpeaker {
  const names = new Map<string, string>()
  const kept = new Map<string, Signal[]>()
  const over: string[] = []
  let speaking: string | undefined

  const give = (turn: string): void => {
    speaker.title(names.get(turn) ?? '')
    for (const signal of kept.get(turn) ?? []) speaker.hear(signal)
    kept.delete(turn)
  }
  /** Prints the voices that are done, in the order in which they finished, and then picks the next one. */
  const pass = (): void => {
    for (let done = over.shift(); done !== undefined; done = over.shift()) give(done)
    speaking = isWatched ? [...kept].find(([, signals]) => signals.some(isWord))?.[0] : undefined
    if (speaking !== undefined) give(speaking)
  }

  return {
    hear: signal => {
      const turn = turnOf(signal)
      if (signal.type === 'event' && signal.event.type === 'turn.started' && signal.event.name !== undefined)
        names.set(signal.event.turn, voiceName(signal.event))
      if (turn === undefined || !names.has(turn)) return speaker.hear(signal)
      const isEnd = signal.type === 'event' && signal.event.type === 'turn.ended'
      if (turn === speaking) {
        speaker.hear(signal)
        if (isEnd) pass()
        return
      }
      kept.set(turn, [...(kept.get(turn) ?? []), signal])
      if (isEnd) over.push(turn)
      if (speaking === undefined) pass()
    },
    end: () => {
      for (const turn of [...kept.keys()]) give(turn)
      return speaker.end()
    },
  }
}

const isWord = (signal: Signal): boolean => signal.type === 'delta' && signal.delta.kind === 'text'

function turnOf(signal: Signal): string | undefined {
  if (signal.type === 'delta') return signal.delta.turn
  if (signal.type === 'notice') return signal.notice.turn
  return signal.type === 'event' && 'turn' in signal.event ? signal.event.turn : undefined
}
