/** What all encoders share: neighbors of one role joined, results in the order of their calls, names and ids that every provider accepts. */
import type { CallId } from '../../model/ids.ts'
import { imagesOfText, isSeen, unreadText, unseenText } from '../../model/message/attachment.ts'
import { readModelName } from '../../model/model-name.ts'
import type { Abilities, Block, FileBlock, Message, Plan } from '../../model/plan.ts'
import type { Files } from '../../model/provider.ts'
import type { Sampling } from '../../model/sampling.ts'

export type ThinkingPart = Extract<Block, { type: 'think' }>
type Call = Extract<Block, { type: 'call' }>
type Result = Extract<Block, { type: 'result' }>

/** All that one side says before the other answers. `at` is the index of a block's message in the plan. */
export type Side = { readonly role: Message['role']; readonly blocks: readonly Placed[] }
export type Placed = { readonly at: number; readonly block: Block }

/**
 * Prepares the messages of a plan for every provider: neighbors of one role are joined, results come first and in the order
 * of their calls, blank texts are dropped, only thinking that `sends` allows stays, and call ids are valid everywhere. Later
 * messages never change earlier ones.
 */
export function join(messages: readonly Message[], sends: (thinking: ThinkingPart) => boolean): readonly Side[] {
  const rename = renamer()
  const sides: { readonly role: Message['role']; readonly blocks: Placed[] }[] = []
  messages.forEach(({ role, blocks }, at) => {
    const sent = blocks.filter(isSent).map(block => ({ at, block: rename(block) }))
    const last = sides.at(-1)
    if (sent.length === 0) return
    if (last?.role === role) last.blocks.push(...sent)
    else sides.push({ role, blocks: sent })
  })
  return sides.map((side, index) => ({
    role: side.role,
    blocks: resultsFirst(side.blocks, callsOf(sides[index - 1]?.blocks ?? [])),
  }))

  function isSent(block: Block): boolean {
    if (block.type === 'text') return !isBlank(block.text)
    return block.type !== 'think' || sends(block)
  }
}

/**
 * Takes images out of results, for wires whose results are only text. They come after all results of their side, and before
 * what a person said meanwhile, with a line that says which call they belong to. `which` says of which results.
 */
export function imagesAfterResults(sides: readonly Side[], which: (result: Result) => boolean = () => true): readonly Side[] {
  return sides.map((side, index) => {
    const giving = side.blocks.filter(({ block }) => block.type === 'result' && block.images !== undefined && which(block))
    if (giving.length === 0) return side
    const apart = giving.flatMap(({ at, block }) => imagesOf(block, sides[index - 1]).map(image => ({ at, block: image })))
    const results = side.blocks.filter(isResult).map(placed => (giving.includes(placed) ? withoutImages(placed) : placed))
    return { role: side.role, blocks: [...results, ...apart, ...side.blocks.filter(placed => !isResult(placed))] }
  })
}

/** The images of a result after a line that says which call they belong to. `asking` is the side with its call. */
export function imagesOf(result: Block, asking: Side | undefined): readonly Block[] {
  if (result.type !== 'result' || result.images === undefined) return []
  const call = asking?.blocks.find(({ block }) => block.type === 'call' && block.call === result.call)?.block
  const tool = call?.type === 'call' ? call.tool : ''
  return [{ type: 'text', text: imagesOfText(tool, result.images.length, result.call) }, ...result.images]
}

function withoutImages({ at, block }: Placed): Placed {
  if (block.type !== 'result') return { at, block }
  const { images: _, ...text } = block
  return { at, block: text }
}

/** Replaces each file that this model cannot see, or whose bytes are missing, with a line of text. Other files stay. */
export function legible(plan: Plan, files: Files, able: Pick<Abilities, 'images' | 'files'> = plan.abilities): Plan {
  const shown = (block: Block): Block => {
    if (block.type === 'result') return block.images === undefined ? block : legibleResult(block, block.images)
    if (!isFile(block)) return block
    if (!isSeen(block, able)) return { type: 'text', text: unseenText(block) }
    return files.has(block.hash) ? block : { type: 'text', text: unreadText(block) }
  }
  return { ...plan, messages: plan.messages.map(message => ({ ...message, blocks: message.blocks.map(shown) })) }

  /** Its text names the images already; only one whose bytes are missing gets a line of its own. */
  function legibleResult({ images: _, ...result }: Result, images: readonly FileBlock[]): Result {
    const seen = images.filter(image => isSeen(image, able))
    const shownImages = seen.filter(({ hash }) => files.has(hash))
    const gone = seen.filter(({ hash }) => !files.has(hash)).map(unreadText)
    const text = [result.text, ...gone].join('\n')
    return { ...result, text, ...(shownImages.length === 0 ? {} : { images: shownImages }) }
  }
}

export const NO_FILES: Files = new Map()

export const isFile = (block: Block): block is FileBlock => block.type === 'image' || block.type === 'file'

/** A file's bytes as a `data:` URL. */
export const dataUrl = ({ mediaType, hash }: FileBlock, files: Files): string =>
  `data:${mediaType};base64,${files.get(hash) ?? ''}`

/** A model's name for its provider: `anthropic/x` is `x`, `openrouter/vendor/x` is `vendor/x`, `compatible/name/x` is `x`. */
export const modelName = (name: string): string => readModelName(name).model || name

/**
 * A tool's name that every provider accepts. A model may have made up any name, and one bad name would spoil every later
 * request.
 */
export const toolName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'tool'

/** Arguments for wires that need an object. Malformed arguments become an empty object. */
export const objectOf = (args: unknown): object => (typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {})

/** JSON that strict parsers accept too. They refuse half of a surrogate pair as "not valid JSON", so it becomes U+FFFD. */
export function strictJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  if (!LONE.test(text)) return text
  const whole = text.replace(ESCAPE, (written, lone) => (lone === undefined ? written : '\ufffd'))
  // Two keys may have become the same; parsing and writing again leaves one.
  return JSON.stringify(JSON.parse(whole))
}

// JSON.stringify writes a whole pair as it is, and half of one as an escape.
const LONE = /\\ud[89a-f]/
const ESCAPE = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g

export const isBlank = (text: string): boolean => text.trim() === ''

const callsOf = (blocks: readonly Placed[]): readonly CallId[] =>
  blocks.flatMap(({ block }) => (block.type === 'call' ? [block.call] : []))

function resultsFirst(blocks: readonly Placed[], calls: readonly CallId[]): readonly Placed[] {
  if (!blocks.some(isResult)) return blocks
  const order = new Map(calls.map((call, index) => [call, index]))
  const place = ({ block }: Placed): number => (block.type === 'result' ? (order.get(block.call) ?? calls.length) : 0)
  const results = blocks.filter(isResult).sort((a, b) => place(a) - place(b))
  return [...results, ...blocks.filter(placed => !isResult(placed))]
}

const isResult = ({ block }: Placed): boolean => block.type === 'result'

/**
 * OpenAI refuses longer ids. Anthropic refuses other characters and repeated ids. Another provider may have made any of
 * those.
 */
const ID = /^[a-zA-Z0-9_-]{1,40}$/

function renamer(): (block: Block) => Block {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const names = new Map<CallId, string>()
  return block => {
    if (block.type === 'call') return renameCall(block)
    if (block.type === 'result') return renameResult(block)
    return block
  }

  function renameCall(block: Call): Call {
    const name = unused(spelled(block.call))
    taken.add(name)
    names.set(block.call, name)
    return { ...block, call: name }
  }

  /** A result belongs to the last call with its id. */
  function renameResult(block: Result): Result {
    return { ...block, call: names.get(block.call) ?? spelled(block.call) }
  }

  function unused(name: string): string {
    if (!taken.has(name)) return name
    const root = name.slice(0, 32)
    let count = counts.get(root) ?? 1
    do count += 1
    while (taken.has(`${root}_${count}`))
    counts.set(root, count)
    return `${root}_${count}`
  }
}

const spelled = (id: CallId): string => (ID.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40) || 'call')

/** Everything that ends a reply: what the protocol needs, then what people set. */
export const stopsOf = (own: readonly string[] | undefined, { stop = [] }: Sampling): readonly string[] => [
  ...(own ?? []),
  ...stop,
]
