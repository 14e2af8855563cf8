/** Puts the voices that answer at the same time into one text, one after the other. */
import type { Signal } from '../../engine.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { brokenNote, createEscape, headingOf, type Labels } from './blocks.ts'
import { createSpeech, type SpeechPiece } from './speech.ts'

/** Turns the signals of one message into the pieces of one answer. */
export type OneVoice = {
  readonly hear: (signal: Signal) => readonly SpeechPiece[]
  /** Everything is over: gives what the remaining voices said. */
  readonly end: () => readonly SpeechPiece[]
}

type Event<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>

type Voice = {
  readonly label: string | undefined
  readonly speech: ReturnType<typeof createSpeech>
  readonly guard: ReturnType<typeof createEscape> | undefined
  kept: SpeechPiece[]
  hasWords: boolean
  isHeard: boolean
  fault?: Fault
}

type OneVoiceOptions = {
  /** How the voices of a council are called; without one, a single voice simply speaks. */
  readonly labels?: Labels
  /** Calls are for the client to answer. */
  readonly passesCalls: boolean
  /** No voice is passed on before all are done; then they come in the order in which they were asked. */
  readonly isWhole: boolean
}

/**
 * Several voices speak at one time and a client reads one text: the first to say a word goes on to its end, what the
 * others say waits for its turn. Voices that are done come next, in the order in which they ended. A voice that failed without a word
 * comes last.
 */
export function createOneVoice({ labels, passesCalls, isWhole }: OneVoiceOptions): OneVoice {
  const voices = new Map<string, Voice>()
  const over: Voice[] = []
  const begun = { text: false, think: false }
  let speaking: Voice | undefined

  const voiceOf = (turn: string, label?: string): Voice => {
    const known = voices.get(turn)
    if (known !== undefined) return known
    const guard = labels === undefined ? undefined : createEscape(labels)
    const voice = { label, guard, speech: createSpeech(passesCalls), kept: [], hasWords: false, isHeard: false }
    voices.set(turn, voice)
    return voice
  }

  /** The pieces as they are read, the first of each kind under the voice's name. */
  const spoken =
    (voice: Voice, titled: Set<string>) =>
    (piece: SpeechPiece): readonly SpeechPiece[] => {
      if (piece.kind === 'call') return [piece]
      const { kind } = piece
      const text = kind === 'text' && voice.guard !== undefined ? voice.guard.push(piece.text) : piece.text
      const isFirst = !titled.has(kind)
      titled.add(kind)
      const gap = isFirst && begun[kind] ? '\n\n' : ''
      begun[kind] = true
      const heading = isFirst && voice.label !== undefined ? headingOf(voice.label) : ''
      return gap + heading + text === '' ? [] : [{ kind, text: gap + heading + text }]
    }
  const titles = new Map<Voice, Set<string>>()
  const speak = (voice: Voice, pieces: readonly SpeechPiece[]): readonly SpeechPiece[] => {
    const titled = titles.get(voice) ?? new Set<string>()
    titles.set(voice, titled)
    return pieces.flatMap(spoken(voice, titled))
  }
  const give = (voice: Voice): readonly SpeechPiece[] => {
    const { kept } = voice
    voice.kept = []
    return speak(voice, kept)
  }
  /** The last words of a voice, and why there are no more where it did not come to its end. */
  const closing = (voice: Voice): readonly SpeechPiece[] => {
    voice.isHeard = true
    const rest = voice.guard?.end() ?? ''
    const ending: readonly SpeechPiece[] = rest === '' ? [] : [{ kind: 'text', text: rest }]
    if (voice.label === undefined || voice.fault === undefined) return ending
    const note = brokenNote(voice.fault)
    return [...ending, ...speak(voice, [{ kind: 'text', text: voice.hasWords ? `\n\n${note}` : note }])]
  }
  /** Voices that are done come first. */
  const pass = (): readonly SpeechPiece[] => {
    const pieces = over.splice(0).flatMap(voice => [...give(voice), ...closing(voice)])
    speaking = [...voices.values()].find(voice => !voice.isHeard && voice.kept.some(piece => isHeardNow(voice, piece)))
    return speaking === undefined ? pieces : [...pieces, ...give(speaking)]
  }
  const said = (voice: Voice, pieces: readonly SpeechPiece[]): readonly SpeechPiece[] => {
    voice.hasWords ||= pieces.some(({ kind }) => kind === 'text')
    if (voice === speaking) return speak(voice, pieces)
    voice.kept.push(...pieces)
    return speaking === undefined && !isWhole ? pass() : []
  }
  const ended = (voice: Voice, event: Event<'turn.ended'>): readonly SpeechPiece[] => {
    const isAnswered = event.reason === 'done' || event.reason === 'limit'
    if (!isAnswered) voice.fault = event.fault ?? fault('cancelled', 'stopped before its end')
    if (voice === speaking) {
      const last = closing(voice)
      speaking = undefined
      return [...last, ...pass()]
    }
    if (!isAnswered && !voice.hasWords) return []
    over.push(voice)
    return speaking === undefined && !isWhole ? pass() : []
  }

  return {
    hear: signal => {
      if (signal.type === 'delta') {
        const voice = voiceOf(signal.delta.turn)
        return said(voice, voice.speech.delta(signal.delta))
      }
      if (signal.type !== 'event') return []
      const { event } = signal
      switch (event.type) {
        case 'turn.started':
          voiceOf(event.turn, labels?.of(event.voice, event.mode))
          return []
        case 'context.planned':
          voiceOf(event.turn, labels?.of(event.receipt.voice))
          return []
        case 'reply.finished':
        case 'reply.broken': {
          const voice = voiceOf(event.turn)
          return said(voice, voice.speech.reply(event))
        }
        case 'turn.ended':
          return ended(voiceOf(event.turn), event)
        default:
          return []
      }
    },
    end: () => [...voices.values()].flatMap(voice => (voice.isHeard ? [] : [...give(voice), ...closing(voice)])),
  }
}

/** A voice of a council waits for its first word; a single one is heard from its first thought on. */
const isHeardNow = ({ label }: Voice, { kind }: SpeechPiece): boolean => label === undefined || kind === 'text'
