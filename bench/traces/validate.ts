// Says why a provider would refuse a request, or why it is not the request that was asked for; knows nothing of our encoders.

export const WIRES = ['anthropic', 'openai', 'ollama'] as const
export type WireName = (typeof WIRES)[number]

/** One message of a request's body, the same for every wire. */
export type WireMessage = {
  readonly role: string
  readonly texts: readonly string[]
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly args: string }[]
  readonly results: readonly { readonly id: string; readonly tool?: string; readonly text: string }[]
}

/** What must be in a request. */
export type Wanted = {
  /** The new message. */
  readonly cause: string
  /** How often its text may be there: more than once only if it was said more than once. */
  readonly mostCauses: number
  /** The calls of the newest step, whose results must be what the request ends with. */
  readonly newest: readonly { readonly id: string; readonly tool: string }[]
  /** The conversation goes as one text, so that calls are words. */
  readonly isTranscript: boolean
}

type Json = { readonly [key: string]: unknown }

/** The messages of a body without the system text; throws where they cannot be read at all. */
export function messagesIn(wire: WireName, body: string): readonly WireMessage[] {
  const messages = list((JSON.parse(body) as Json).messages)
  if (wire === 'anthropic') return messages.map(fromAnthropic)
  return messages.filter(({ role }) => role !== 'system').map(wire === 'openai' ? fromOpenai : fromOllama)
}

/** Every reason why a request is not valid; empty if it is. */
export function whyInvalid(wire: WireName, body: string, wanted: Wanted): readonly string[] {
  const whys: string[] = []
  const messages = messagesIn(wire, body)
  if (messages.length === 0) return ['no messages']
  if (messages[0]?.role !== 'user') whys.push(`begins with ${messages[0]?.role}`)
  if (messages.at(-1)?.role === 'assistant') whys.push('ends with the assistant')
  whys.push(...roles(wire, messages), ...pairs(wire, messages), ...contents(messages))
  const causes = messages.reduce((sum, message) => sum + timesIn(message, wanted.cause), 0)
  const heard = messages.some(({ role, texts }) => role === 'user' && texts.some(text => text.includes(wanted.cause)))
  if (!heard) whys.push('the new message is missing')
  if (causes > wanted.mostCauses) whys.push('the new message is there more than once')
  if (!hasNewest(messages, wanted)) whys.push('the newest step is missing')
  return whys
}

/** The tokens of all messages: 4 for each, 8 for each call. */
export function messageTokens(messages: readonly WireMessage[], count: (text: string) => number): number {
  const sum = (texts: readonly string[]): number => texts.reduce((total, text) => total + count(text), 0)
  return messages.reduce((total, { texts, calls, results }) => {
    const called = calls.reduce((all, { tool, args }) => all + count(tool) + count(args) + 8, 0)
    return total + 4 + sum(texts) + called + sum(results.map(({ text }) => text))
  }, 0)
}

function roles(wire: WireName, messages: readonly WireMessage[]): readonly string[] {
  const known = wire === 'anthropic' ? ['user', 'assistant'] : ['user', 'assistant', 'tool']
  const whys = messages.filter(({ role }) => !known.includes(role)).map(({ role }) => `the role ${role}`)
  // Only Anthropic wants the sides to alternate; two answers in a row are wrong everywhere.
  const repeats = messages.some(
    ({ role }, index) => role === messages[index - 1]?.role && (wire === 'anthropic' || role === 'assistant'),
  )
  return repeats ? [...whys, 'roles do not alternate'] : whys
}

/** Every call is directly followed by its result, and every result follows its call. */
function pairs(wire: WireName, messages: readonly WireMessage[]): readonly string[] {
  const whys: string[] = []
  const ids = new Set<string>()
  let open: { readonly id: string; readonly tool: string }[] = []
  for (const { role, texts, calls, results } of messages) {
    for (const { id, tool } of results) {
      const place = open.findIndex(call => call.id === id)
      if (place === -1) whys.push('a result without its call')
      // Ollama's older servers match results by their place.
      else if (wire === 'ollama' && (place !== 0 || open[0]?.tool !== tool)) whys.push('a result out of order')
      open = open.filter((_, index) => index !== place)
    }
    const isOnlyResults = role === 'tool' && texts.length === 0
    if (open.length > 0 && !isOnlyResults) {
      whys.push('a call without its result')
      open = []
    }
    for (const { id, tool } of calls) {
      if (ids.has(id)) whys.push('a call id twice')
      ids.add(id)
      open.push({ id, tool })
    }
    if (calls.length > 0 && role !== 'assistant') whys.push(`a call by ${role}`)
  }
  return open.length > 0 ? [...whys, 'a call without its result'] : whys
}

function contents(messages: readonly WireMessage[]): readonly string[] {
  const isEmpty = ({ texts, calls, results }: WireMessage): boolean => texts.length + calls.length + results.length === 0
  const isBlank = ({ texts }: WireMessage): boolean => texts.some(text => text.trim() === '')
  const isBroken = ({ texts, results }: WireMessage): boolean =>
    !texts.every(text => text.isWellFormed()) || !results.every(({ text }) => text.isWellFormed())
  return [
    ...(messages.some(isEmpty) ? ['a message without content'] : []),
    ...(messages.some(isBlank) ? ['a blank text'] : []),
    ...(messages.some(isBroken) ? ['half a character'] : []),
  ]
}

function hasNewest(messages: readonly WireMessage[], { newest, isTranscript }: Wanted): boolean {
  if (newest.length === 0) return true
  if (isTranscript) {
    const text = messages.flatMap(({ texts }) => texts).join('\n')
    return newest.every(({ tool }) => text.includes(`$call: {"name": "${tool}"`)) && text.includes('$result: ')
  }
  const last = messages.findLast(({ calls }) => calls.length > 0)
  const answered = messages.slice(last === undefined ? 0 : messages.indexOf(last)).flatMap(({ results }) => results)
  return newest.every(({ id }) => last?.calls.some(call => call.id === id) && answered.some(result => result.id === id))
}

const timesIn = ({ texts, results }: WireMessage, wanted: string): number =>
  [...texts, ...results.map(({ text }) => text)].reduce((sum, text) => sum + times(text, wanted), 0)

/** How often one text is in another. */
export function times(text: string, wanted: string): number {
  if (wanted === '') return 0
  let found = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found += 1
  return found
}

function fromAnthropic({ role, content }: Json): WireMessage {
  const blocks = list(content)
  const of = (type: string): readonly Json[] => blocks.filter(block => block.type === type)
  const results = of('tool_result')
  // Results come before everything else a person says.
  const isMixed = blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result')
  return {
    role: isMixed ? `${role} with results after texts` : String(role),
    texts: of('text').map(({ text }) => String(text)),
    calls: of('tool_use').map(({ id, name, input }) => ({ id: String(id), tool: String(name), args: JSON.stringify(input) })),
    results: results.map(({ tool_use_id, content }) => ({ id: String(tool_use_id), text: textIn(content) })),
  }
}

function fromOpenai({ role, content, tool_calls, tool_call_id }: Json): WireMessage {
  const calls = list(tool_calls ?? []).map(({ id, function: called }) => {
    const { name, arguments: args } = called as Json
    return { id: String(id), tool: String(name), args: String(args) }
  })
  if (role === 'tool') return { role, texts: [], calls, results: [{ id: String(tool_call_id), text: textIn(content) }] }
  const texts = content === null ? [] : typeof content === 'string' ? [content] : list(content).map(({ text }) => String(text))
  return { role: String(role), texts, calls, results: [] }
}

function fromOllama({ role, content, tool_calls, tool_call_id, tool_name }: Json): WireMessage {
  const calls = list(tool_calls ?? []).map(({ id, function: called }) => {
    const { name, arguments: args } = called as Json
    return { id: String(id), tool: String(name), args: JSON.stringify(args) }
  })
  const text = String(content)
  const results = role === 'tool' ? [{ id: String(tool_call_id), tool: String(tool_name), text }] : []
  return { role: String(role), texts: role === 'tool' || text === '' ? [] : [text], calls, results }
}

function textIn(content: unknown): string {
  if (content === undefined || content === null) return ''
  return typeof content === 'string'
    ? content
    : list(content)
        .map(({ text }) => String(text))
        .join('')
}

function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`)
  return value
}
