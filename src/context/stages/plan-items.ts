/** Makes the items of a plan: each is something that is sent, with its tokens, its hash and the reason why it is there. */
import type { Part } from '../../model/event.ts'
import type { Block, Message, PlanItem, SystemPart, ToolSpec } from '../../model/plan.ts'
import { heardBlocks, resultBlock } from '../text/attachments.ts'
import { canonical } from '../text/canonical.ts'
import type { Measure } from '../text/tokens.ts'
import {
  type Beat,
  endOf,
  type FrontBlock,
  messageOf,
  PER_MESSAGE,
  type PlacedAside,
  type PlacedQuote,
  weightOf,
} from './draft.ts'

/** What an item is, and why it is sent. */
export type ItemLabel = Pick<PlanItem, 'kind' | 'reason'>

export const systemItem = ({ reason, source, text }: SystemPart, measure: Measure): PlanItem => ({
  kind: 'system',
  reason,
  source,
  tokens: measure.count(text),
  hash: measure.hash(text),
  keys: [],
  messages: [],
  text,
})

export function toolItems(tools: readonly ToolSpec[], measure: Measure): PlanItem[] {
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

export const textMessage = (role: Message['role'], text: string): Message => ({ role, blocks: [{ type: 'text', text }] })

export const noteItem = (text: string, role: Message['role'], measure: Measure): PlanItem => ({
  kind: 'note',
  reason: 'note.omitted',
  tokens: measure.count(text) + PER_MESSAGE,
  hash: measure.hash(text),
  keys: [],
  messages: [textMessage(role, text)],
})

/** The items of an aside: one, or one for each message that it quotes. */
export function asideItems(aside: PlacedAside, measure: Measure): readonly PlanItem[] {
  const whole = asideItem(aside, measure)
  return aside.quotes === undefined ? [whole] : partItems(whole, aside.quotes, measure)
}

/** The items of a text before the conversation: one for each of its parts. */
export const frontItems = ({ kind, reason, text, parts }: FrontBlock, measure: Measure): readonly PlanItem[] =>
  partItems(
    {
      ...{ kind, reason, tokens: measure.count(text) + PER_MESSAGE, hash: measure.hash(text) },
      ...{ keys: [], messages: [textMessage('user', text)] },
    },
    parts,
    measure,
  )

/** One item for each part of a text that is sent as one message. */
function partItems(whole: PlanItem, parts: readonly PlacedQuote[], measure: Measure): readonly PlanItem[] {
  const items = parts.map(
    ({ session, from, to, line, text }): PlanItem => ({
      ...{ kind: whole.kind, reason: whole.reason, from, to },
      ...(session === undefined ? {} : { session }),
      tokens: measure.count(line),
      hash: measure.hash(text),
      keys: [],
      messages: [],
      text: line,
    }),
  )
  const [first, ...others] = items
  if (first === undefined) return []
  // The first one carries the message, and what the block weighs beside its lines.
  const rest = others.reduce((sum, { tokens }) => sum + tokens, 0)
  return [{ ...first, tokens: whole.tokens - rest, messages: whole.messages }, ...others]
}

const asideItem = ({ kind, reason, text, from, to, required }: PlacedAside, measure: Measure): PlanItem => ({
  kind,
  reason,
  tokens: measure.count(text) + PER_MESSAGE,
  hash: measure.hash(text),
  ...(from === undefined || to === undefined ? {} : { from, to }),
  keys: [],
  messages: [textMessage('user', text)],
  ...(required === undefined ? {} : { required }),
})

/** Made once for each beat, as long as its label stays the same: hashing long texts again and again would be slow. */
export function beatItem(beat: Beat, label: ItemLabel, measure: Measure): PlanItem {
  const known = items.get(beat)
  if (known?.label === label && known.measure === measure) return known.item
  const item = newItem(beat, label, measure)
  items.set(beat, { label, measure, item })
  return item
}

const items = new WeakMap<Beat, { readonly label: ItemLabel; readonly measure: Measure; readonly item: PlanItem }>()

function newItem(beat: Beat, label: ItemLabel, measure: Measure): PlanItem {
  const messages = messagesOf(beat)
  let hash: string | undefined
  return {
    ...label,
    tokens: weightOf(beat),
    // Made on demand: most of a past that does not fit is dropped without it.
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
  const answers: readonly Block[] = beat.answers.map(resultBlock)
  const reply: Message = { role: 'assistant', blocks: beat.parts satisfies readonly Part[] }
  return [
    ...(beat.stepsNote === undefined ? [] : [textMessage('user', beat.stepsNote)]),
    reply,
    ...(answers.length === 0 ? [] : [{ role: 'user' as const, blocks: answers }]),
  ]
}
