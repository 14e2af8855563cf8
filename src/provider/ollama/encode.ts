/** Writes a plan as a request to Ollama's chat API. */
import type { CallId } from '../../model/ids.ts'
import type { Plan } from '../../model/plan.ts'
import type { Files, Wire } from '../../model/provider.ts'
import {
  imagesAfterResults,
  isBlank,
  isFile,
  join,
  legible,
  modelName,
  NO_FILES,
  objectOf,
  type Placed,
  type Side,
  stopsOf,
  strictJson,
} from '../transport/join-neighbors.ts'
import { withJoints } from '../transport/joints.ts'
import { decodeOllama } from './decode.ts'
import { hasLevels } from './sampling.ts'

const wireWith = (version: number, joined: (blocks: readonly Placed[]) => readonly Placed[]): Wire => ({
  name: 'ollama',
  version,
  encode: (plan, files = NO_FILES) => {
    const { messages, ...rest } = legible(plan, files, { images: plan.abilities.images, files: false })
    // Several of its models leave out images that are on the message of a tool.
    const sides = imagesAfterResults(join(messages, () => true)).map(side => ({ ...side, blocks: joined(side.blocks) }))
    return { url: '/api/chat', body: strictJson(requestOf(rest, sides, files)), reasons: plan.thinkingTokens !== null }
  },
  decode: decodeOllama,
})

/** The wire of Ollama's own chat API. Its server joins messages of one role into one text, even if they come apart. */
export const ollamaWire: Wire = wireWith(2, withJoints)

/** For requests that were sent before version 2, in which nothing but a blank line was between two messages of one role. */
export const earlierOllamaWires: readonly Wire[] = [wireWith(1, blocks => blocks)]

function requestOf(plan: Omit<Plan, 'messages'>, sides: readonly Side[], files: Files): object {
  return {
    model: modelName(plan.model),
    stream: true,
    // Without this field the model decides by itself.
    think: thinkOf(plan),
    // Servers that know these two fields refuse a prompt that does not fit, instead of silently cutting it.
    truncate: false,
    shift: false,
    // Without num_ctx Ollama silently cuts the front of an oversized prompt. A changed num_ctx makes it load the model again.
    options: { num_ctx: plan.window, num_predict: plan.maxTokens, ...samplingOf(plan) },
    ...(plan.tools.length === 0 ? {} : { tools: toolsOf(plan) }),
    messages: [...(isBlank(plan.system) ? [] : [{ role: 'system', content: plan.system }]), ...messagesOf(sides, files)],
  }
}

/** Most models think or do not; some take a level. */
function thinkOf({ model, thinkingTokens, sampling }: Omit<Plan, 'messages'>): boolean | string {
  const effort = sampling?.effort
  return effort !== undefined && effort !== 'none' && hasLevels(model) ? effort : thinkingTokens !== null
}

function samplingOf({ stop, sampling = {} }: Pick<Plan, 'stop' | 'sampling'>): object {
  const { temperature, topP, seed } = sampling
  const stops = stopsOf(stop, sampling)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stops.length === 0 ? {} : { stop: stops }),
  }
}

const toolsOf = ({ tools }: Pick<Plan, 'tools'>): object[] =>
  tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))

/** Older servers have no call ids and match a result by its tool's name and its place, so the order of the calls is kept. */
function messagesOf(sides: readonly Side[], files: Files): object[] {
  const names = new Map<CallId, string>()
  return sides.flatMap(side => (side.role === 'user' ? heard(side, names, files) : said(side, names)))
}

function heard({ blocks }: Side, names: ReadonlyMap<CallId, string>, files: Files): object[] {
  const results = blocks.flatMap(({ block }) =>
    block.type === 'result'
      ? [{ role: 'tool', tool_name: names.get(block.call) ?? '', tool_call_id: block.call, content: block.text }]
      : [],
  )
  const messages = [...Map.groupBy(blocks, ({ at }) => at).values()].flatMap(one => {
    const content = textsOf(one, 'text')
    const images = one.flatMap(({ block }) => (isFile(block) ? [files.get(block.hash) ?? ''] : []))
    return content === '' && images.length === 0 ? [] : [{ role: 'user', content, ...(images.length === 0 ? {} : { images }) }]
  })
  return [...results, ...messages]
}

function said({ blocks }: Side, names: Map<CallId, string>): object[] {
  const content = textsOf(blocks, 'text')
  const thinking = textsOf(blocks, 'think')
  const calls = blocks.flatMap(({ block }) => {
    if (block.type !== 'call') return []
    names.set(block.call, block.tool)
    return [{ id: block.call, function: { name: block.tool, arguments: objectOf(block.args) } }]
  })
  if (content === '' && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ]
}

const textsOf = (blocks: readonly Placed[], type: 'text' | 'think'): string =>
  blocks.flatMap(({ block }) => (block.type === type ? [block.text] : [])).join('\n\n')
