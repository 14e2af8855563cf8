/** Writes a plan as a request to Anthropic's Messages API. */
import type { Block, FileBlock, Plan } from '../../model/plan.ts'
import type { Files, Wire } from '../../model/provider.ts'
import {
  imagesAfterResults,
  isBlank,
  join,
  legible,
  modelName,
  NO_FILES,
  objectOf,
  type Side,
  stopsOf,
  strictJson,
  type ThinkingPart,
  toolName,
} from '../transport/join-neighbors.ts'
import { decodeAnthropic } from './decode.ts'
import { habitOf } from './thinking-habits.ts'

/** The wire of Anthropic's Messages API. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  version: 1,
  encode: (plan, files = NO_FILES) => ({
    url: '/v1/messages',
    body: strictJson(requestOf(legible(plan, files), files)),
    reasons: plan.thinkingTokens !== null,
  }),
  decode: decodeAnthropic,
}

type Wired = Readonly<Record<string, unknown>> & { readonly type: string }
type Placed = { readonly at: number; readonly block: Wired }
type Turn = { readonly role: Side['role']; readonly content: readonly Placed[] }

/** The provider caches everything up to a marked block. It allows four marks, and we never set more. */
const MARK = { cache_control: { type: 'ephemeral' } }

function requestOf(plan: Plan, files: Files): object {
  const { thinking, replays } = thinkingOf(plan)
  const { tools, system, stable, whole } = plan.through
  const isWorth = (tokens: number): boolean => tokens >= plan.abilities.cacheMinimum
  // The content of a failed result must be text alone.
  const sides = imagesAfterResults(
    join(plan.messages, () => replays),
    ({ ok }) => !ok,
  )
  return {
    model: modelName(plan.model),
    max_tokens: plan.maxTokens,
    stream: true,
    ...samplingOf(plan),
    ...(thinking === null ? {} : { thinking }),
    ...(isBlank(plan.system) ? {} : { system: [{ type: 'text', text: plan.system, ...(isWorth(system) ? MARK : {}) }] }),
    ...(plan.tools.length === 0 ? {} : { tools: toolsOf(plan, isWorth(tools)) }),
    messages: marked(
      withoutTail(sides.map(side => turnOf(side, files))),
      isWorth(stable) && plan.unmarked !== 'messages' ? plan.stableMessages : 0,
      isWorth(whole) && plan.unmarked === undefined,
    ),
  }
}

/** Effort is told to models that choose by themselves how much to think. For the others it is in the budget of thinking. */
function samplingOf({ model, stop, sampling = {} }: Plan): object {
  const { temperature, topP, effort } = sampling
  const stops = stopsOf(stop, sampling)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...(effort === undefined || effort === 'none' || habitOf(model) === 'by-budget' ? {} : { output_config: { effort } }),
  }
}

const toolsOf = ({ tools }: Plan, isMarked: boolean): object[] =>
  tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: parameters,
    ...(isMarked && index === tools.length - 1 ? MARK : {}),
  }))

const turnOf = ({ role, blocks }: Side, files: Files): Turn => ({
  role,
  content: blocks.map(({ at, block }) => ({ at, block: wired(block, files) })),
})

function wired(block: Block, files: Files): Wired {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'think':
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted }
      return { type: 'thinking', thinking: block.text, signature: block.signature }
    case 'call':
      return { type: 'tool_use', id: block.call, name: toolName(block.tool), input: objectOf(block.args) }
    case 'result': {
      const parts = [
        ...(isBlank(block.text) ? [] : [{ type: 'text', text: block.text }]),
        ...(block.images ?? []).map(image => wired(image, files)),
      ]
      const content = parts.length === 0 ? {} : { content: parts }
      return { type: 'tool_result', tool_use_id: block.call, ...content, ...(block.ok ? {} : { is_error: true }) }
    }
    case 'image':
      return { type: 'image', source: sourceOf(block, files) }
    case 'file':
      return { type: 'document', source: sourceOf(block, files), title: block.name }
  }
}

const sourceOf = ({ mediaType, hash }: FileBlock, files: Files): object => ({
  type: 'base64',
  media_type: mediaType,
  data: files.get(hash) ?? '',
})

/** A request that ends with the assistant's own words must not end with white space. */
function withoutTail(turns: readonly Turn[]): readonly Turn[] {
  const turn = turns.at(-1)
  const last = turn?.content.at(-1)
  if (turn?.role !== 'assistant' || typeof last?.block.text !== 'string') return turns
  const block = { ...last.block, text: last.block.text.trimEnd() }
  return [...turns.slice(0, -1), { role: turn.role, content: [...turn.content.slice(0, -1), { at: last.at, block }] }]
}

/** Marks the last block of the stable past and the last block of all. Thinking cannot be marked. */
function marked(turns: readonly Turn[], stableMessages: number, marksEnd: boolean): object[] {
  const blocks = turns.flatMap(turn => turn.content).filter(({ block }) => !THINKING.has(block.type))
  const marks = [blocks.findLast(({ at }) => at < stableMessages), marksEnd ? blocks.at(-1) : undefined]
  return turns.map(({ role, content }) => ({
    role,
    content: content.map(placed => (marks.includes(placed) ? { ...placed.block, ...MARK } : placed.block)),
  }))
}

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

const LEAST_BUDGET = 1024

type Replay = { readonly thinking: object | null; readonly replays: boolean }

/**
 * What the request says about thinking, and whether the turn's own thinking goes back with it. Anthropic refuses a request
 * that lacks some of the thinking blocks, but accepts one without any. So either all go back, or none.
 */
function thinkingOf({ model, messages, maxTokens, thinkingTokens }: Plan): Replay {
  const isWhole = messages.every(({ blocks }) => blocks.every(block => block.type !== 'think' || isSealed(block)))
  const habit = habitOf(model)
  if (thinkingTokens === null) {
    if (habit === 'unless-told') return { thinking: { type: 'disabled' }, replays: false }
    return { thinking: null, replays: habit === 'always' && isWhole }
  }
  if (habit !== 'by-budget') return { thinking: { type: 'adaptive', display: 'summarized' }, replays: isWhole }
  const budget = Math.max(LEAST_BUDGET, thinkingTokens)
  // Anthropic refuses a budget that leaves no tokens for the answer, and thinking that begins in the middle of a turn.
  const may = budget < maxTokens && isWhole && mayThink(join(messages, () => true))
  return may ? { thinking: { type: 'enabled', budget_tokens: budget }, replays: true } : { thinking: null, replays: false }
}

/** The answer that first called a tool must have begun with thinking, or there must be none in this turn. */
function mayThink(sides: readonly Side[]): boolean {
  const asked = sides.findLastIndex(({ role, blocks }) => role === 'user' && blocks.every(({ block }) => block.type !== 'result'))
  const answer = sides[asked + 1]
  return answer === undefined || answer.blocks[0]?.block.type === 'think'
}

const isSealed = ({ signature = '', redacted = '' }: ThinkingPart): boolean => signature !== '' || redacted !== ''
