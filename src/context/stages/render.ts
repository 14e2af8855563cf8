import type { Part } from '../../model/event.ts'
import type { Block, Material, Message, PlanItem, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { heardBlocks } from '../text/attachments.ts'
import { canonical } from '../text/canonical.ts'
import type { Measure } from '../text/tokens.ts'
import { transcriptItems } from '../transcript/items.ts'
import { type Aware, type Beat, endOf, type LeftOut, messageOf, PER_MESSAGE, type PlacedAside, weightOf } from './draft.ts'

export type Item = PlanItem

export type Rendered = {
  readonly items: readonly Item[]
  readonly left: readonly LeftOut[]
}

/** Beats become messages; system text, tools, notes and asides take their places around them. */
export function render(aware: Aware, material: Material, policy: Pick<Policy, 'render'>, measure: Measure): Rendered {
  return {
    items: [
      ...material.system.map(part => systemItem(part, measure)),
      ...toolItems(material.tools, measure),
      ...(policy.render === 'transcript' ? transcriptItems(aware, material, measure) : messageItems(aware, measure)),
    ],
    left: aware.left,
  }
}

export const systemItem = ({ reason, source, text }: SystemPart, measure: Measure): Item => ({
  kind: 'system',
  reason,
  source,
  tokens: measure.count(text),
  hash: measure.hash(text),
  keys: [],
  messages: [],
  text,
})

export function toolItems(tools: readonly ToolSpec[], measure: Measure): Item[] {
  if (tools.length === 0) return []
  const text = canonical(tools)
  return [
    {
      kind: 'tools',
      reason: 'tools.schema',
      tokens: measure.count(text),
      hash: measure.hash(text),
      keys: [],
      messages: [],
      // The order of a tool's keys is part of what is sent.
      text: JSON.stringify(tools),
    },
  ]
}

function messageItems({ head, note, pins, past, asides, current }: Aware, measure: Measure): Item[] {
  const summary = past.filter(beat => beat.kind === 'summary')
  const said = past.filter(beat => beat.kind !== 'summary')
  return [
    ...summary.map(beat => beatItem(beat, SUMMARY, measure)),
    ...head.map(beat => beatItem(beat, HEAD, measure)),
    ...(note === null ? [] : [noteItem(note.text, note.role, measure)]),
    ...pins.map(beat => beatItem(beat, PIN, measure)),
    ...said.map(beat => beatItem(beat, PAST, measure)),
    ...asides.map(aside => asideItem(aside, measure)),
    ...current.map(beat => beatItem(beat, beat.kind === 'said' ? CYCLE : CURRENT, measure)),
  ]
}

type Place = Pick<Item, 'kind' | 'reason'>
const HEAD: Place = { kind: 'message', reason: 'head.first' }
const SUMMARY: Place = { kind: 'note', reason: 'summary.folded' }
const PIN: Place = { kind: 'message', reason: 'pin.person' }
const PAST: Place = { kind: 'message', reason: 'recent.window' }
const CURRENT: Place = { kind: 'current', reason: 'current.message' }
const CYCLE: Place = { kind: 'current', reason: 'current.cycle' }

export const textMessage = (role: Message['role'], text: string): Message => ({ role, blocks: [{ type: 'text', text }] })

export const noteItem = (text: string, role: Message['role'], measure: Measure): Item => ({
  kind: 'note',
  reason: 'note.omitted',
  tokens: measure.count(text) + PER_MESSAGE,
  hash: measure.hash(text),
  keys: [],
  messages: [textMessage(role, text)],
})

export const asideItem = ({ kind, reason, text, from, to, required }: PlacedAside, measure: Measure): Item => ({
  kind,
  reason,
  tokens: measure.count(text) + PER_MESSAGE,
  hash: measure.hash(text),
  ...(from === undefined || to === undefined ? {} : { from, to }),
  keys: [],
  messages: [textMessage('user', text)],
  ...(required === undefined ? {} : { required }),
})

/** Made once for each beat, for as long as it stands in the same place. */
export function beatItem(beat: Beat, place: Place, measure: Measure): Item {
  const known = items.get(beat)
  if (known?.place === place && known.measure === measure) return known.item
  const item = newItem(beat, place, measure)
  items.set(beat, { place, measure, item })
  return item
}

const items = new WeakMap<Beat, { readonly place: Place; readonly measure: Measure; readonly item: Item }>()

function newItem(beat: Beat, place: Place, measure: Measure): Item {
  const messages = messagesOf(beat)
  let hash: string | undefined
  return {
    ...place,
    tokens: weightOf(beat),
    // Made when it is asked for: most of a past that does not fit goes away without, and long texts take long.
    get hash(): string {
      hash ??= measure.hash(JSON.stringify(messages))
      return hash
    },
    from: beat.seq,
    to: endOf(beat),
    keys: [messageOf(beat)],
    messages,
  }
}

function messagesOf(beat: Beat): Message[] {
  if (beat.kind === 'heard') return [{ role: 'user', blocks: heardBlocks(beat) }]
  if (beat.kind === 'summary') return [textMessage('user', beat.text)]
  const answers: Block[] = beat.answers.map(answer => ({ type: 'result', ...answer }))
  const reply: Message = { role: 'assistant', blocks: beat.parts satisfies readonly Part[] }
  return answers.length === 0 ? [reply] : [reply, { role: 'user', blocks: answers }]
}
