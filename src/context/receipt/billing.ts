/** What requests cost where a provider caches prompts: by the rules that every comparison of policies uses. */

/** A piece of a request as a prompt cache sees it; `marked` where a breakpoint stands behind it. */
export type BilledBlock = {
  readonly part: 'tools' | 'system' | 'messages'
  readonly bytes: string
  readonly tokens: number
  readonly marked: boolean
}

/** The tokens of one request, by what they cost. */
export type Bill = { readonly plain: number; readonly written: number; readonly read: number }

export type TokenCount = (text: string) => number

/** What a token costs, as a multiple of plain input. */
const TOKEN_PRICE: Bill = { plain: 1, written: 1.25, read: 0.1 }

const MOST_MARKS = 4
/** A breakpoint finds what an earlier one wrote at most this many blocks back. */
const LOOK_BACK = 20
/** A cache keeps no shorter prefix. */
export const LEAST_CACHED_TOKENS = 1024
const PER_MESSAGE = 4
const PER_TOOL_BLOCK = 8

export const billedUnits = ({ plain, written, read }: Bill): number =>
  plain * TOKEN_PRICE.plain + written * TOKEN_PRICE.written + read * TOKEN_PRICE.read

export const billedTokens = ({ plain, written, read }: Bill): number => plain + written + read

/** Requests that began the same way share a path from the root; where a breakpoint stood, the way there is in the cache. */
type Place = { isWritten: boolean; readonly next: Map<string, Place> }

/** Bills requests one after the other, where nothing expires and all of them use one cache. */
export function createBilling(): (blocks: readonly BilledBlock[]) => Bill {
  const root: Place = { isWritten: false, next: new Map() }
  return blocks => charge(root, blocks)
}

function charge(root: Place, blocks: readonly BilledBlock[]): Bill {
  if (blocks.filter(({ marked }) => marked).length > MOST_MARKS)
    throw new Error(`a request has at most ${MOST_MARKS} breakpoints`)
  const path: { readonly place: Place; readonly through: number; readonly marked: boolean }[] = []
  let place = root
  let through = 0
  for (const { bytes, tokens, marked } of blocks) {
    place = step(place, bytes)
    through += tokens
    path.push({ place, through, marked: marked && through >= LEAST_CACHED_TOKENS })
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
export function billedBlocks(body: string, count: TokenCount): readonly BilledBlock[] {
  const { tools = [], system = [], messages } = JSON.parse(body) as Body
  return [
    ...tools.map((tool): BilledBlock => ({ part: 'tools', ...plain(tool), tokens: count(plain(tool).bytes) })),
    ...system.map((text): BilledBlock => ({ part: 'system', ...plain(text), tokens: contentTokens(text, count) })),
    ...messages.flatMap(({ role, content }) =>
      content.map((block, index): BilledBlock => {
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

function contentTokens({ type, text, thinking, name, input, content }: Content, count: TokenCount): number {
  switch (type) {
    case 'tool_use':
      return count(name ?? '') + count(JSON.stringify(input)) + PER_TOOL_BLOCK
    case 'tool_result':
      return count((content ?? []).map(each => each.text).join('')) + PER_TOOL_BLOCK
    default:
      return count(text ?? thinking ?? '')
  }
}
