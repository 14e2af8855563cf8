/** Writes a plan as a chat completion request to OpenAI, OpenRouter or a compatible server. */
import { extraIn } from '../../model/message/call-extra.ts'
import type { Block, FileBlock, Plan } from '../../model/plan.ts'
import type { Files, Wire } from '../../model/provider.ts'
import type { Effort } from '../../model/sampling.ts'
import { habitOf } from '../anthropic/thinking-habits.ts'
import { knownIn } from '../catalog/known-in.ts'
import {
  dataUrl,
  imagesAfterResults,
  isBlank,
  isFile,
  join,
  legible,
  modelName,
  NO_FILES,
  type Placed,
  type Side,
  stopsOf,
  strictJson,
  toolName,
} from '../transport/join-neighbors.ts'
import { withJoints } from '../transport/joints.ts'
import { decodeOpenaiChat } from './decode.ts'
import { OPENAI_MODELS, openRouterFacts } from './models.ts'
import { isReasoning } from './sampling.ts'

/** Only a blank line separates two messages of one role where content must be one string. */
const BLANK_LINE_JOINTS: Joined = blocks => blocks

const wireWith = (version: number, joined: Joined): Wire => ({
  name: 'openai-chat',
  version,
  encode: (plan, files = NO_FILES) => ({
    url: '/chat/completions',
    body: strictJson(requestOf(plan, files, joined)),
    reasons: plan.thinkingTokens !== null || thinksUnasked(plan),
  }),
  decode: decodeOpenaiChat,
})

/** The wire of chat completions, for OpenAI, OpenRouter and compatible servers. */
export const openaiChatWire: Wire = wireWith(2, withJoints)

/** For requests that were sent before version 2. */
export const earlierOpenaiChatWires: readonly Wire[] = [wireWith(1, BLANK_LINE_JOINTS)]

/** Prepares the blocks of one side for a server that gets them as one string. */
type Joined = (blocks: readonly Placed[]) => readonly Placed[]

/** How the three differ. */
type Dialect = {
  readonly limits: (plan: Plan) => object
  readonly reasoning: (effort: Effort, tokens: number | null, model: string) => object
  /** How the turn's own thinking goes back: not at all, as text, or as the signed details it came with. */
  readonly replays: 'nothing' | 'text' | 'details'
  /** True if the server refuses a message with calls that lacks a field for thinking, even an empty one. */
  readonly insists?: boolean
  /** True if content must be one string: several servers accept no lists or files, and refuse two user messages in a row. */
  readonly plain: boolean
  /** OpenAI accepts arguments that are not JSON. Other servers parse them, and refuse the whole request. */
  readonly forgiving: boolean
  /** True if a call of the running turn goes back with all that its server sent. Gemini refuses one without its seal. */
  readonly returnsExtra?: boolean
}

const OPENAI: Dialect = {
  // Lets requests of one session find the same cache.
  limits: ({ maxTokens, session }) => ({ max_completion_tokens: maxTokens, prompt_cache_key: session }),
  reasoning: effort => ({ reasoning_effort: effort }),
  replays: 'nothing',
  plain: false,
  forgiving: true,
}
const OPENROUTER: Dialect = {
  // Without this mark OpenRouter never caches its Anthropic models. It finds the best place by itself.
  limits: ({ maxTokens, model }) => ({
    max_tokens: maxTokens,
    ...(/^openrouter\/~?anthropic\//.test(model) ? { cache_control: { type: 'ephemeral' } } : {}),
  }),
  // Newer Claude models ignore a number of tokens.
  reasoning: (effort, tokens, model) => ({
    reasoning: tokens !== null && habitOf(model) === 'by-budget' ? { max_tokens: tokens } : { effort },
  }),
  replays: 'details',
  plain: false,
  forgiving: false,
}
const COMPATIBLE: Dialect = {
  limits: ({ maxTokens }) => ({ max_tokens: maxTokens }),
  reasoning: effort => ({ reasoning_effort: effort }),
  replays: 'text',
  plain: true,
  forgiving: false,
  returnsExtra: true,
}
const DEEPSEEK: Dialect = { ...COMPATIBLE, insists: true }

function dialectOf(model: string): Dialect {
  if (model.startsWith('openrouter/')) return OPENROUTER
  if (!model.startsWith('compatible/')) return OPENAI
  return /deepseek/i.test(modelName(model)) ? DEEPSEEK : COMPATIBLE
}

function requestOf(plan: Plan, files: Files, joined: Joined): object {
  const dialect = dialectOf(plan.model)
  const { images, files: documents } = plan.abilities
  const { messages } = legible(plan, files, { images, files: documents && !dialect.plain })
  return {
    model: modelName(plan.model),
    stream: true,
    stream_options: { include_usage: true },
    ...dialect.limits(plan),
    ...reasoningOf(plan, dialect),
    ...samplingOf(plan),
    ...(plan.tools.length === 0 ? {} : { tools: toolsOf(plan) }),
    messages: [
      ...(isBlank(plan.system) ? [] : [{ role: 'system', content: contentOf([plan.system], dialect) }]),
      ...imagesAfterResults(join(messages, () => dialect.replays !== 'nothing'))
        .map(side => (dialect.plain ? { ...side, blocks: joined(side.blocks) } : side))
        .flatMap(side => (side.role === 'user' ? heard(side, dialect, files) : said(side, dialect))),
    ],
  }
}

function samplingOf({ model, stop, sampling = {} }: Plan): object {
  const { temperature, topP, seed } = sampling
  // The text protocol's own stops are for every model, and those that reason refuse them.
  const stops = isReasoning(model) ? [] : stopsOf(stop, sampling)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stops.length === 0 ? {} : { stop: stops }),
  }
}

/**
 * Some models think without being asked, and are just as slow. That a model can think says nothing: OpenAI's from 5.1 to 5.4
 * and Claude up to 4 wait until they are asked.
 */
function thinksUnasked(plan: Plan): boolean {
  const { model } = plan
  if (mustNotThink(plan)) return false
  if (/^openrouter\/~?anthropic\//.test(model)) return ['unless-told', 'always'].includes(habitOf(model))
  return (knownIn(OPENAI_MODELS, model) ?? openRouterFacts(model))?.thinking === true && !/openai\/gpt-5\.[1-4]/.test(model)
}

const mustNotThink = ({ abilities, tools }: Plan): boolean => abilities.thinkingWithTools === false && tools.length > 0

function reasoningOf(plan: Plan, dialect: Dialect): object {
  const { thinkingTokens, model, sampling } = plan
  if (mustNotThink(plan)) return { reasoning_effort: 'none' }
  const effort = sampling?.effort ?? (thinkingTokens === null ? undefined : 'medium')
  return effort === undefined ? {} : dialect.reasoning(effort, thinkingTokens, model)
}

const toolsOf = ({ tools }: Plan): object[] =>
  tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))

/** Results come first, directly after their calls. Then comes one message for each message of the plan. */
function heard({ blocks }: Side, dialect: Dialect, files: Files): object[] {
  const results = blocks.flatMap(({ block }) =>
    block.type === 'result'
      ? [{ role: 'tool', tool_call_id: block.call, content: isBlank(block.text) ? '' : contentOf([block.text], dialect) }]
      : [],
  )
  const said = blocks.filter(placed => isText(placed) || isFile(placed.block))
  const messages = [...Map.groupBy(said, ({ at }) => (dialect.plain ? 0 : at)).values()]
  return [...results, ...messages.map(one => ({ role: 'user', content: contentWith(one, dialect, files) }))]
}

/** Only content with an image must be a list for every server. */
function contentWith(blocks: readonly Placed[], dialect: Dialect, files: Files): unknown {
  if (blocks.every(isText)) return contentOf(blocks.map(textOf), dialect)
  return blocks.map(({ block }) => (isFile(block) ? fileOf(block, files) : { type: 'text', text: textIn(block) }))
}

const fileOf = (block: FileBlock, files: Files): object =>
  block.type === 'image'
    ? { type: 'image_url', image_url: { url: dataUrl(block, files) } }
    : { type: 'file', file: { filename: block.name, file_data: dataUrl(block, files) } }

function said({ blocks }: Side, dialect: Dialect): object {
  const texts = blocks.filter(isText).map(textOf)
  const calls = blocks.flatMap(({ block }) => (block.type === 'call' ? [callOf(block, dialect)] : []))
  const content = texts.length === 0 ? null : contentOf(texts, dialect)
  return {
    role: 'assistant',
    content,
    ...thinkingOf(blocks, dialect, calls.length > 0),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function thinkingOf(blocks: readonly Placed[], { replays, insists = false }: Dialect, hasCalls: boolean): object {
  const thinking = blocks.flatMap(({ block }) => (block.type === 'think' ? [block] : []))
  if (replays === 'text') {
    const text = thinking.map(each => each.text).join('')
    return text === '' && !(insists && hasCalls) ? {} : { reasoning_content: text }
  }
  const details = thinking.flatMap(({ signature = '' }) => detailsIn(signature))
  return details.length === 0 ? {} : { reasoning_details: details }
}

/** OpenRouter's signature is a list of details as JSON text. The signature of another provider gives an empty list. */
function detailsIn(signature: string): readonly unknown[] {
  try {
    const details: unknown = JSON.parse(signature)
    return Array.isArray(details) ? details : []
  } catch {
    return []
  }
}

function callOf({ call, tool, args, raw, extra }: Extract<Block, { type: 'call' }>, dialect: Dialect): object {
  const { forgiving, returnsExtra = false } = dialect
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args)
  const text = forgiving || isObject ? (raw ?? strictJson(args)) : '{}'
  // What is kept may come from an archive, so the call's own fields are kept out here, too.
  const more = returnsExtra && extra !== undefined ? extraIn(extra) : undefined
  return { id: call, type: 'function', function: { name: toolName(tool), arguments: text }, ...more }
}

const contentOf = (texts: readonly string[], { plain }: Dialect): unknown =>
  plain ? texts.join('\n\n') : texts.map(text => ({ type: 'text', text }))

const isText = ({ block }: Placed): boolean => block.type === 'text'
const textIn = (block: Block): string => (block.type === 'text' ? block.text : '')
const textOf = ({ block }: Placed): string => textIn(block)
