/** A piece of a request as a prompt cache sees it; `marked` where a breakpoint stands behind it. */
export type Block = {
  readonly part: 'tools' | 'system' | 'messages'
  readonly bytes: string
  readonly tokens: number
  readonly marked: boolean
}

/** The tokens of one request, by what they cost. */
export type Bill = { readonly plain: number; readonly written: number; readonly read: number }

export type Count = (text: string) => number

/** What a token costs, as a multiple of plain input. */
export const PRICE: Bill = { plain: 1, written: 1.25, read: 0.1 }

const MOST_MARKS = 4
/** A breakpoint finds what an earlier one wrote at most this many blocks back. */
const LOOK_BACK = 20
const LEAST_PREFIX_TOKENS = 1024
const PER_MESSAGE = 4
const PER_TOOL_BLOCK = 8

export const unitsOf = ({ plain, written, read }: Bill): number =>
  plain * PRICE.plain + written * PRICE.written + read * PRICE.read

export const tokensOf = ({ plain, written, read }: Bill): number => plain + written + read

/** Requests that began the same way share a path from the root; where a breakpoint stood, the way there is in the cache. */
type Place = { isWritten: boolean; readonly next: Map<string, Place> }

/** What each request of a sequence is billed, where nothing expires and all of them use one cache. */
export function* billsOf(requests: Iterable<readonly Block[]>): Generator<Bill> {
  const root: Place = { isWritten: false, next: new Map() }
  for (const blocks of requests) yield charge(root, blocks)
}

function charge(root: Place, blocks: readonly Block[]): Bill {
  if (blocks.filter(({ marked }) => marked).length > MOST_MARKS)
    throw new Error(`a request has at most ${MOST_MARKS} breakpoints`)
  const path: { readonly place: Place; readonly through: number; readonly marked: boolean }[] = []
  let place = root
  let through = 0
  for (const { bytes, tokens, marked } of blocks) {
    place = step(place, bytes)
    through += tokens
    path.push({ place, through, marked: marked && through >= LEAST_PREFIX_TOKENS })
  }
  const marks = path.flatMap(({ marked }, index) => (marked ? [index] : []))
  const found = marks.flatMap(mark => path.slice(Math.max(0, mark - LOOK_BACK), mark + 1)).filter(({ place }) => place.isWritten)
  const read = found.reduce((most, each) => Math.max(most, each.through), 0)
  const cached = path[marks.at(-1) ?? -1]?.through ?? 0
  for (const mark of marks) markWritten(path[mark]?.place)
  return { plain: through - cached, written: cached - read, read }
}

function step({ next }: Place, bytes: string): Place {
  const known = next.get(bytes)
  if (known !== undefined) return known
  const place: Place = { isWritten: false, next: new Map() }
  next.set(bytes, place)
  return place
}

function markWritten(place: Place | undefined): void {
  if (place !== undefined) place.isWritten = true
}

type Marked = { readonly cache_control?: unknown }
type Content = Marked & {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly name?: string
  readonly input?: unknown
  readonly content?: readonly { readonly text: string }[]
}
type Body = {
  readonly tools?: readonly Marked[]
  readonly system?: readonly Content[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Content[] }[]
}

/** The blocks of a request to Anthropic's Messages API, in the order in which its cache reads them. */
export function blocksOf(body: string, count: Count): readonly Block[] {
  const { tools = [], system = [], messages } = JSON.parse(body) as Body
  return [
    ...tools.map((tool): Block => ({ part: 'tools', ...plain(tool), tokens: count(plain(tool).bytes) })),
    ...system.map((text): Block => ({ part: 'system', ...plain(text), tokens: contentTokens(text, count) })),
    ...messages.flatMap(({ role, content }) =>
      content.map((block, index): Block => {
        const { bytes, marked } = plain(block)
        // Where a message begins is part of the bytes: two blocks in one message are not two messages.
        const opening = index === 0 ? `{"role":"${role}","content":[` : ','
        const tokens = contentTokens(block, count) + (index === 0 ? PER_MESSAGE : 0)
        return { part: 'messages', bytes: opening + bytes, tokens, marked }
      }),
    ),
  ]
}

function plain({ cache_control, ...rest }: Marked): { readonly bytes: string; readonly marked: boolean } {
  return { bytes: JSON.stringify(rest), marked: cache_control !== undefined }
}

function contentTokens({ type, text, thinking, name, input, content }: Content, count: Count): number {
  switch (type) {
    case 'tool_use':
      return count(name ?? '') + count(JSON.stringify(input)) + PER_TOOL_BLOCK
    case 'tool_result':
      return count((content ?? []).map(each => each.text).join('')) + PER_TOOL_BLOCK
    default:
      return count(text ?? thinking ?? '')
  }
}

/** The same request with breakpoints behind tools and system text only: cheaper where the messages never come back. */
export const markedInHouse = (blocks: readonly Block[]): readonly Block[] =>
  blocks.map(block => (block.part === 'messages' ? { ...block, marked: false } : block))

/** The share of a request's bytes with which the next one begins. */
export function keptShare(last: readonly Block[], next: readonly Block[]): number {
  const all = last.reduce((sum, { bytes }) => sum + Buffer.byteLength(bytes), 0)
  if (all === 0) return 1
  const parting = last.findIndex(({ bytes }, index) => bytes !== next[index]?.bytes)
  if (parting === -1) return 1
  const same = last.slice(0, parting).reduce((sum, { bytes }) => sum + Buffer.byteLength(bytes), 0)
  return (same + Buffer.byteLength(commonStart(last[parting]?.bytes ?? '', next[parting]?.bytes ?? ''))) / all
}

function commonStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}
