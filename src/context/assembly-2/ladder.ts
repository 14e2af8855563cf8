/** What gave way in a request that was too long, by the second version of the assembly. */
import type { Material, PlanItem, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { Rung } from '../../model/receipt.ts'
import type { LeftOut } from '../stages/draft.ts'
import { systemItem, toolItems } from '../stages/plan-items.ts'
import type { Measure } from '../text/tokens.ts'
import { firstWhere } from '../window/units.ts'

/** A request that is being made to fit. */
export type FittingBefore = {
  readonly items: readonly PlanItem[]
  readonly left: readonly LeftOut[]
  readonly ladder: readonly Rung[]
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
}

type Step = (
  fitting: FittingBefore,
  isLow: (items: readonly PlanItem[]) => boolean,
  measure: Measure,
  material: Material,
) => FittingBefore

/** Optional references and recalled texts go first: Turnwise added them, they were not said in this session. */
const dropAsides: Step = fitting => {
  const dropped = fitting.items.filter(isAside)
  const lines = dropped.map((item): LeftOut => ({ ...spanOf(item), messages: [], more: 1, reason: 'out.budget' }))
  return dropped.length === 0
    ? fitting
    : climbed(
        fitting,
        'asides',
        fitting.items.filter(item => !isAside(item)),
        lines,
      )
}

/** The running turn's thinking: a model that refuses its calls without it will be asked without either. */
const dropThinking: Step = (fitting, _isLow, measure) => {
  const thinking = fitting.items.filter(thinks)
  const lines = thinking.map((item): LeftOut => ({ ...spanOf(item), messages: item.keys, reason: 'out.thinking' }))
  const items = fitting.items.map(item => (thinks(item) ? withoutThinking(item, measure) : item))
  return thinking.length === 0 ? fitting : climbed(fitting, 'thinking', items, lines)
}

/** Whole messages from the front, until the request is down to `low` and does not begin with an answer. */
const shorten: Step = (fitting, isLow) => {
  const { items } = fitting
  const order = new Map([...new Set(items.filter(isFromPast).flatMap(item => item.keys))].map((key, index) => [key, index]))
  if (order.size === 0) return fitting
  const isGone = (item: PlanItem, count: number): boolean =>
    isFromPast(item) && item.keys.every(key => (order.get(key) ?? 0) < count)
  const without = (count: number): readonly PlanItem[] => spokenByPerson(items.filter(item => !isGone(item, count)))
  let count = Math.min(order.size, 1 + firstWhere(order.size - 1, each => isLow(without(each + 1))))
  while (count < order.size && leadsWithAnswer(without(count))) count += 1
  const lines = items
    .filter(item => isGone(item, count))
    .map((item): LeftOut => ({ ...spanOf(item), messages: item.keys, reason: 'out.budget' }))
  return climbed(fitting, 'history', without(count), lines)
}

/** Skills by name instead of in full: what they say can still be read, one at a time. */
export const listSkillsBefore: Step = (fitting, _isLow, measure, { listed }) => {
  const full = fitting.system.findIndex(part => part.reason === 'skill.full')
  if (listed === undefined || full === -1) return fitting
  const part: SystemPart = { source: 'skills', reason: 'skill.listed', text: listed.text }
  const others = fitting.items.filter(item => item.kind !== 'tools' && item.reason !== 'skill.full')
  const house = others.findLastIndex(item => item.kind === 'system') + 1
  const items = [
    ...others.slice(0, house),
    systemItem(part, measure),
    ...toolItems(listed.tools, measure),
    ...others.slice(house),
  ]
  return { ...climbed(fitting, 'skills', items, []), system: fitting.system.with(full, part), tools: listed.tools }
}

/** What gives way when a request is too long, in this order. */
export const RUNGS_BEFORE: readonly Step[] = [dropAsides, dropThinking, shorten]

const climbed = (fitting: FittingBefore, rung: Rung, items: readonly PlanItem[], lines: readonly LeftOut[]): FittingBefore => ({
  ...fitting,
  items,
  left: [...fitting.left, ...lines],
  ladder: [...fitting.ladder, rung],
})

const spanOf = ({ from = 0, to = 0 }: PlanItem): { readonly from: number; readonly to: number } => ({ from, to })
const isAside = ({ reason, required }: PlanItem): boolean =>
  required === undefined && (reason === 'reference.last-round' || reason === 'recall.match')
const isFromPast = (item: PlanItem): boolean => item.reason === 'recent.window' || item.reason === 'head.first'
const thinks = (item: PlanItem): boolean => item.messages.some(message => message.blocks.some(block => block.type === 'think'))
const leadsWithAnswer = (items: readonly PlanItem[]): boolean => items.flatMap(item => item.messages)[0]?.role === 'assistant'

function withoutThinking(item: PlanItem, measure: Measure): PlanItem {
  const blocks = item.messages.flatMap(message => message.blocks)
  const thought = blocks.reduce((sum, block) => sum + (block.type === 'think' ? measure.count(block.text) : 0), 0)
  const messages = item.messages.map(message => ({ ...message, blocks: message.blocks.filter(block => block.type !== 'think') }))
  return { ...item, messages, tokens: item.tokens - thought, hash: measure.hash(JSON.stringify(messages)) }
}

/** A note may be in the voice's own words only after a person's message. */
function spokenByPerson(items: readonly PlanItem[]): readonly PlanItem[] {
  if (items.some(item => item.reason === 'head.first')) return items
  return items.map(item =>
    item.reason === 'note.omitted'
      ? { ...item, messages: item.messages.map(message => ({ ...message, role: 'user' as const })) }
      : item,
  )
}
