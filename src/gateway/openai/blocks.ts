/** A council's answer as one text with a named block per advisor, and how such a text is taken apart again. */
import type { Fault } from '../../model/fault.ts'
import { type Council, SYNTHESIS, SYNTHESIS_MODES, type SynthesisMode } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'

/** A council's answer is one text with a named block for each voice. When a client sends it back, it is split again. */
export type Labels = {
  readonly of: (voice: VoiceId, mode?: SynthesisMode) => string
  /** Whose block a line begins, if it begins one. */
  readonly voiceIn: (line: string) => VoiceId | undefined
  /** Whether a line, as far as it is there, could still begin one. */
  readonly mayBegin: (line: string) => boolean
}

/** Advisors that share a name get their ids added. */
export function blockLabels({ advisors }: Pick<Council, 'advisors'>): Labels {
  const isAlone = (name: string): boolean => advisors.filter(each => each.name === name).length === 1
  const names = new Map(advisors.map(({ id, name }) => [id, isAlone(name) ? name : `${name} (${id})`]))
  const house = ['Synthesis', ...SYNTHESIS_MODES.map(synthesis)]
  const voices = new Map([
    ...house.map(name => [name, SYNTHESIS] as const),
    ...[...names].map(([id, name]) => [name, id] as const),
  ])
  return {
    of: (voice, mode) => (voice === SYNTHESIS ? synthesis(mode) : (names.get(voice) ?? voice)),
    voiceIn: line => (line.startsWith('## ') ? voices.get(line.trimEnd().slice(3)) : undefined),
    mayBegin: line => [...voices.keys()].some(name => `## ${name}`.startsWith(line)),
  }
}

const synthesis = (mode?: SynthesisMode): string => (mode === undefined ? 'Synthesis' : `Synthesis (${mode})`)

export const headingOf = (label: string): string => `## ${label}\n\n`

/** Replaces an answer, or ends one that breaks off. When a client sends it back, it and the text after it are not the advisor's words. */
export const brokenNote = ({ message }: Fault): string => `[No whole answer: ${message.replace(/\s+/g, ' ')}]`

const BROKEN = /(?:^|\n)\[No whole answer: [^\n]*\]$/

/** Words that look like the beginning of a block stay words: such a line has a `\` before it. */
export function createEscape(labels: Labels): { readonly push: (text: string) => string; readonly end: () => string } {
  /** The line so far, while it could still begin a block; undefined inside a line that cannot. */
  let held: string | undefined = ''
  /** A long line is checked again only when it has doubled in length, not after every piece. */
  let lookAt = 0
  const safe = (line: string): string => (labels.voiceIn(unescaped(line)) === undefined ? line : `\\${line}`)
  const mayBegin = (line: string): boolean => labels.mayBegin(unescaped(line).trimEnd())
  return {
    push: text => {
      let out = ''
      for (const piece of text.split(/(?<=\n)/)) {
        if (held === undefined) out += piece
        else {
          held += piece
          if (piece.endsWith('\n') || (held.length >= lookAt && !mayBegin(held))) {
            out += safe(held)
            held = undefined
          } else if (held.length >= Math.max(lookAt, LONG)) lookAt = 2 * held.length
        }
        if (piece.endsWith('\n')) {
          held = ''
          lookAt = 0
        }
      }
      return out
    },
    end: () => {
      const rest = safe(held ?? '')
      held = undefined
      return rest
    },
  }
}

const LONG = 1000

const unescaped = (line: string): string => line.replace(/^\\+/, '')

type Block = { readonly voice: VoiceId; readonly text: string }

/** What each voice said, where a text is a council's answer; undefined where it is none. */
export function blocksIn(text: string, labels: Labels): readonly Block[] | undefined {
  const blocks: { readonly voice: VoiceId; readonly lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const voice = labels.voiceIn(line)
    const isEscaped = line.startsWith('\\') && labels.voiceIn(unescaped(line)) !== undefined
    if (voice !== undefined) blocks.push({ voice, lines: [] })
    else blocks.at(-1)?.lines.push(isEscaped ? line.slice(1) : line)
  }
  if (blocks.length === 0) return undefined
  return blocks
    .map(({ voice, lines }) => ({ voice, text: lines.join('\n').trim() }))
    .filter(({ voice, text: said }) => voice !== SYNTHESIS && said !== '' && !BROKEN.test(said))
}
