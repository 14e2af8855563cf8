import type { Block, Material, Message, ToolSpec } from '../model/plan.ts'
import type { InLine, InReason } from '../model/receipt.ts'
import { canonical } from './canonical.ts'
import { type Beat, type LeftOut, messageOf } from './draft.ts'
import type { Aware } from './recall.ts'
import { isPast } from './window.ts'

/** How texts are measured; counting and hashing are handed in, so that this room runs anywhere. */
export type Measure = { readonly count: (text: string) => number; readonly hash: (text: string) => string }

/** One thing that would be sent, with why it is there. */
export type Item = {
  readonly kind: InLine['kind']
  readonly reason: InReason
  readonly tokens: number
  readonly hash: string
  readonly source?: string
  readonly from?: number
  readonly to?: number
  readonly message?: string
  readonly messages: readonly Message[]
}

export type Rendered = {
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly items: readonly Item[]
  readonly left: readonly LeftOut[]
}

/** What every provider adds around a message, roughly. */
const PER_MESSAGE = 4

/** Beats become messages; system text, tools and asides take their places around them. */
export function render(draft: Aware, material: Material, measure: Measure): Rendered {
  const isHistory = (beat: Beat): boolean => beat.kind === 'summary' || isPast(beat, material)
  const past = draft.beats.filter(isHistory)
  const current = draft.beats.filter(beat => !isHistory(beat))
  return {
    system: material.system.map(part => part.text).join('\n\n'),
    tools: material.tools,
    items: [
      ...systemItems(material, measure),
      ...toolItems(material, measure),
      ...past.map(beat => beatItem(beat, material, measure)),
      ...draft.asides.map(aside => asideItem(aside, measure)),
      ...current.map(beat => beatItem(beat, material, measure)),
    ],
    left: draft.left,
  }
}

const systemItems = (material: Material, measure: Measure): Item[] =>
  material.system.map(part => ({
    kind: 'system',
    reason: part.reason,
    source: part.source,
    tokens: measure.count(part.text),
    hash: measure.hash(part.text),
    messages: [],
  }))

function toolItems({ tools }: Material, measure: Measure): Item[] {
  if (tools.length === 0) return []
  const text = canonical(tools)
  return [{ kind: 'tools', reason: 'tools.schema', tokens: measure.count(text), hash: measure.hash(text), messages: [] }]
}

function asideItem(aside: Aware['asides'][number], measure: Measure): Item {
  return {
    kind: aside.kind,
    reason: aside.reason,
    tokens: measure.count(aside.text) + PER_MESSAGE,
    hash: measure.hash(aside.text),
    messages: [{ role: 'user', blocks: [{ type: 'text', text: aside.text }] }],
  }
}

function beatItem(beat: Beat, material: Material, measure: Measure): Item {
  const messages = messagesOf(beat)
  const place = beat.kind === 'summary' ? SUMMARY : isPast(beat, material) ? PAST : beat.kind === 'heard' ? HEARD : CYCLE
  return {
    ...place,
    tokens: beat.tokens + PER_MESSAGE * messages.length,
    hash: measure.hash(JSON.stringify(messages)),
    from: beat.seq,
    to: beat.kind === 'said' ? beat.to : beat.seq,
    message: messageOf(beat),
    messages,
  }
}

const SUMMARY = { kind: 'note', reason: 'summary.folded' } as const
const PAST = { kind: 'message', reason: 'recent.window' } as const
const HEARD = { kind: 'current', reason: 'current.message' } as const
const CYCLE = { kind: 'current', reason: 'current.cycle' } as const

function messagesOf(beat: Beat): Message[] {
  switch (beat.kind) {
    case 'heard':
      return [{ role: 'user', blocks: [{ type: 'text', text: beat.text }] }]
    case 'summary':
      return [{ role: 'user', blocks: [{ type: 'text', text: beat.text }] }]
    case 'said': {
      const answers: Block[] = beat.answers.map(answer => ({ type: 'result', ...answer }))
      const reply: Message = { role: 'assistant', blocks: beat.parts }
      return answers.length === 0 ? [reply] : [reply, { role: 'user', blocks: answers }]
    }
  }
}
