/** Describes tools and their results in text, for a model without tools of its own. */
import type { Call, Part } from '../../model/event.ts'
import type { Block, Message, Plan, ToolSpec } from '../../model/plan.ts'
import type { Wire } from '../../model/provider.ts'
import { imagesOf, isBlank, join, type Placed, type Side } from '../transport/join-neighbors.ts'

/** Wraps a wire for models without tools of their own: calls and results travel as text with lines that begin with `§`. */
export const textProtocol = (wire: Wire): Wire => ({
  ...wire,
  name: `${wire.name}+text`,
  encode: (plan, files) => wire.encode(inText(plan), files),
})

/** The text that describes the tools to a model. */
export const protocolText = (tools: readonly ToolSpec[]): string => `${HOW}\n\n${tools.map(toolText).join('\n\n')}`

const HOW = `You have tools, and you use them by what you write. A reply consists of sections; each begins at the start of a line:

§think: what you consider first; it answers nobody
§respond: what you say to the person
§call: {"name": "…", "args": {…}} asks for one tool: a JSON object on one line, with the tool's name and its arguments
§execute on a line of its own, after your calls: they are run now. Stop there.
§end on a line of its own: your answer is complete. Stop there.

After §execute you are sent a §result: for each call, in the order of the calls; then you go on. You never write a result yourself. A reply that asks for a tool looks like this:

§think: I have to see the list before I can say how long it is.
§call: {"name": "read_list", "args": {"which": "books"}}
§execute

And one that needs none:

§respond: There are twelve books on it.
§end

If a line of ordinary text has to begin with one of these words, put a \\ before it. These are your tools, each with the JSON schema of its arguments:`

const toolText = ({ name, description, parameters }: ToolSpec): string =>
  quoted(`${name}: ${isBlank(description) ? '(no description)' : description}\n${JSON.stringify(parameters ?? {})}`)

/** Where a model must stop. Each begins with a line break, so that a text may mention the words. */
const STOP: readonly string[] = ['\n§execute', '\n§end']

/** The words with a meaning at the beginning of a line: the first ones with a colon, the others by themselves. */
export const OPENING = ['think', 'respond', 'call', 'result', 'user'] as const
export const CLOSING = ['execute', 'end'] as const
export const DELIMITER: string = `§(?:(${OPENING.join('|')}):|(${CLOSING.join('|')})(?!\\w))`

/** Puts a `\` before text that would read as a delimiter, and one more if it already had some. */
const quoted = (text: string): string => text.replace(LOOKALIKE, '\\')
const LOOKALIKE = new RegExp(`^(?=\\\\*${DELIMITER})`, 'gim')

/** Writes a reply as its model would have. Reading it gives the same parts. */
export function formatReply(parts: readonly Part[]): string {
  return [...parts.flatMap(section), '§execute'].join('\n')
}

function section(part: Part): string[] {
  switch (part.type) {
    case 'text':
      return [`§respond: ${quoted(part.text)}`]
    case 'think':
      return part.text === '' ? [] : [`§think: ${quoted(part.text)}`]
    case 'call':
      return [`§call: ${quoted(callText(part))}`]
  }
}

/** Arguments go back unchanged, and so does text that was not JSON. */
function callText({ tool, args, raw }: Call): string {
  if (raw !== undefined && args === null && !isJson(raw)) return raw
  return `{"name": ${JSON.stringify(tool)}, "args": ${raw ?? JSON.stringify(args) ?? 'null'}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type Sent = { readonly at: number; readonly message: Message }

function inText(plan: Plan): Plan {
  const sides = join(plan.messages, () => true)
  const sent = sides.flatMap((side, index) => (side.role === 'user' ? heard(side, sides[index - 1]) : said(side)))
  const unstable = sent.findIndex(({ at }) => at >= plan.stableMessages)
  return {
    ...plan,
    tools: [],
    stop: STOP,
    messages: sent.map(({ message }) => message),
    stableMessages: unstable === -1 ? sent.length : unstable,
  }
}

/** Results are one text, in the order of their calls, and their images follow it. What a person said meanwhile is kept apart from them. */
function heard({ blocks }: Side, asking: Side | undefined): Sent[] {
  const results = blocks.flatMap(({ block }) => (block.type === 'result' ? [`§result: ${quoted(block.text)}`] : []))
  const opening = results.length === 0 ? '' : '§user: '
  const at = blocks.find(({ block }) => block.type === 'result')?.at ?? 0
  const images = blocks.flatMap(({ block }) => imagesOf(block, asking))
  const others = blocks.filter(({ block }) => block.type !== 'result')
  const settled: Message = { role: 'user', blocks: [{ type: 'text', text: results.join('\n') }, ...images] }
  return [
    ...(results.length === 0 ? [] : [{ at, message: settled }]),
    ...byMessage(others).map(([index, group]) => ({ at: index, message: spoken('user', group, opening) })),
  ]
}

const said = ({ blocks }: Side): Sent[] =>
  byMessage(blocks).map(([at, group]) => {
    const isCalling = group.some(block => block.type === 'call')
    const message = isCalling ? textMessage('assistant', formatReply(group.filter(isPart))) : spoken('assistant', group, '')
    return { at, message }
  })

/** Leaves blocks as they are, except that text blocks become plain text. */
function spoken(role: Message['role'], blocks: readonly Block[], opening: string): Message {
  const first = blocks.findIndex(block => block.type === 'text')
  const written = blocks.map((block, index): Block => {
    if (block.type !== 'text') return block
    return { type: 'text', text: `${index === first ? opening : ''}${quoted(block.text)}` }
  })
  return { role, blocks: written }
}

const byMessage = (blocks: readonly Placed[]): (readonly [number, readonly Block[]])[] =>
  [...Map.groupBy(blocks, ({ at }) => at)].map(([at, group]) => [at, group.map(({ block }) => block)])

const textMessage = (role: Message['role'], text: string): Message => ({ role, blocks: [{ type: 'text', text }] })

const isPart = (block: Block): block is Part => block.type === 'text' || block.type === 'think' || block.type === 'call'
