type Json = { readonly [key: string]: unknown }

/** Why a real provider would refuse a body; nothing if it would not. */
export type Refuses = (body: string) => readonly string[]

const ID = /^[a-zA-Z0-9_-]{1,40}$/
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

export const anthropicRefuses: Refuses = body =>
  because(body, (request, no) => {
    const plain = ['model', 'max_tokens', 'stream', 'stop_sequences', 'thinking', 'system', 'tools', 'messages']
    const allowed = [...plain, 'temperature', 'top_p', 'output_config']
    const isThinking = request.thinking !== undefined && (request.thinking as Json).type !== 'disabled'
    if (isThinking && request.temperature !== undefined) no('temperature may only be set to 1 when thinking is enabled')
    for (const text of list(request.stop_sequences ?? []) as readonly unknown[])
      if (blank(text)) no('each stop sequence must contain non-whitespace')
    for (const key of Object.keys(request)) if (!allowed.includes(key)) no(`${key}: extra inputs are not permitted`)
    if (request.stream !== true) no('stream is off')
    for (const { type, text } of list(request.system ?? [])) if (type !== 'text' || blank(text)) no('a system block is blank')
    if (request.system !== undefined && list(request.system).length === 0) no('the system text is empty')
    checkTools(list(request.tools ?? []), request.tools !== undefined, no)
    if (body.split('"cache_control":').length - 1 > 4) no('a maximum of 4 blocks with cache_control may be provided')

    const messages = list(request.messages)
    if (messages[0]?.role !== 'user') no('the first message must use the user role')
    const ids = new Set<unknown>()
    let open: unknown[] = []
    messages.forEach(({ role, content }, index) => {
      if (role !== (index % 2 === 0 ? 'user' : 'assistant')) no(`messages.${index}: roles must alternate`)
      const blocks = list(content)
      if (blocks.length === 0) no(`messages.${index}: content must be non-empty`)
      const results = blocks.filter(block => block.type === 'tool_result')
      if (blocks.slice(0, results.length).some(block => block.type !== 'tool_result')) no(`messages.${index}: results come first`)
      for (const { tool_use_id, content, is_error } of results) {
        if (!open.includes(tool_use_id)) no(`messages.${index}: unexpected tool_use_id ${tool_use_id}`)
        open = open.filter(id => id !== tool_use_id)
        const parts = list(content ?? [])
        if (content !== undefined && parts.every(({ type, text }) => type === 'text' && blank(text))) no('a result is blank')
        if (is_error === true && parts.some(({ type }) => type !== 'text'))
          no("all content must be type 'text' if 'is_error' is true")
        for (const part of parts) {
          if (part.type === 'image') checkSource(part, no)
          else if (part.type !== 'text' || blank(part.text)) no(`messages.${index}: no such ${part.type} in a result`)
        }
      }
      if (open.length > 0) no(`messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${open}`)
      open = []
      for (const block of blocks) {
        if (!(ROLES[String(block.type)] ?? []).includes(role)) no(`messages.${index}: no ${block.type} for the ${role}`)
        if (block.type === 'text' && blank(block.text)) no('text content blocks must contain non-whitespace text')
        if (block.type === 'image' || block.type === 'document') checkSource(block, no)
        if (block.type === 'thinking' && (!block.signature || block.cache_control))
          no('thinking must be sealed and cannot be marked')
        if (block.type !== 'tool_use') continue
        if (!ID.test(String(block.id))) no(`tool_use.id should match the pattern: ${block.id}`)
        if (!NAME.test(String(block.name))) no(`tool_use.name should match the pattern: ${block.name}`)
        if (ids.has(block.id)) no('tool_use ids must be unique')
        if (!isObject(block.input)) no('tool_use.input should be an object')
        ids.add(block.id)
        open.push(block.id)
      }
    })
    if (open.length > 0) no('the last calls have no results')
    const last = messages.at(-1)
    if (last?.role === 'assistant' && /\s$/.test(String(list(last.content).at(-1)?.text ?? ''))) no('the end is white space')
    checkThinking(request, messages, no)
  })

const ROLES: Readonly<Record<string, readonly unknown[]>> = {
  text: ['user', 'assistant'],
  image: ['user'],
  document: ['user'],
  tool_result: ['user'],
  tool_use: ['assistant'],
  thinking: ['assistant'],
  redacted_thinking: ['assistant'],
}

/** Models that always think take their thinking back unasked. */
const ALWAYS = /fable|mythos|(opus|sonnet)-5-5/

function checkSource({ type, source, title }: Json, no: (why: string) => void): void {
  const { type: kind, media_type, data } = source as Json
  if (kind !== 'base64' || !isFile(data)) no(`${type}: invalid base64 data`)
  if (!(type === 'image' ? IMAGES : ['application/pdf']).includes(String(media_type))) no(`${type}: media type ${media_type}`)
  if (type === 'document' && blank(title)) no('document.title: should have at least 1 character')
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Base64 of something. */
const isFile = (data: unknown): boolean =>
  typeof data === 'string' && data !== '' && Buffer.from(data, 'base64').toString('base64') === data

/** The media type of an address that holds its file in itself, whole. */
const heldIn = (url: unknown): string | undefined => {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/.exec(String(url)) ?? []
  return isFile(data) ? mediaType : undefined
}

function checkThinking({ model, thinking, max_tokens }: Json, messages: readonly Json[], no: (why: string) => void): void {
  const isAsked = ({ role, content }: Json): boolean =>
    role === 'user' && list(content).every(({ type }) => type !== 'tool_result')
  const cycle = messages.slice(messages.findLastIndex(isAsked) + 1)
  const types = cycle.filter(({ role }) => role === 'assistant').map(({ content }) => list(content).map(({ type }) => type))
  const { type, budget_tokens } = (thinking ?? { type: 'none' }) as Json
  if (type === 'disabled' && ALWAYS.test(String(model))) no('thinking cannot be disabled')
  if (type === 'none' || type === 'disabled') {
    if (types.flat().some(each => String(each).endsWith('thinking')) && !ALWAYS.test(String(model)))
      no('thinking is disabled, so the last answer cannot contain it')
    return
  }
  if (type === 'adaptive') return
  if (Number(budget_tokens) < 1024) no('budget_tokens should be greater than or equal to 1024')
  if (Number(budget_tokens) >= Number(max_tokens)) no('max_tokens must be greater than budget_tokens')
  if (types[0] !== undefined && !String(types[0][0]).endsWith('thinking'))
    no('expected thinking, when it is enabled the answer must start with it')
}

/** `strict` servers parse arguments; `plain` ones know only strings, and want roles to alternate. */
export const openaiChatRefuses =
  ({ plain = false, strict = false }: { readonly plain?: boolean; readonly strict?: boolean } = {}): Refuses =>
  body =>
    because(body, (request, no) => {
      checkTools(list(request.tools ?? []).map(functionOf), request.tools !== undefined, no)
      const ids = new Set<unknown>()
      let open: unknown[] = []
      const messages = list(request.messages)
      messages.forEach(({ role, content, tool_calls, tool_call_id }, index) => {
        const where = `messages[${index}]`
        if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) no(`${where}: role ${role}`)
        if (role === 'system' && index > 0) no(`${where}: the system text comes first`)
        if (role === 'tool' && !open.includes(tool_call_id)) no(`${where}: must be a response to a preceding tool_calls`)
        open = open.filter(id => id !== tool_call_id)
        if (role !== 'tool' && open.length > 0) no(`${where}: tool_call_ids did not have response messages: ${open}`)
        if (role === 'assistant' && content === null && tool_calls === undefined) no(`${where}: neither content nor calls`)
        if (role !== 'tool' && content !== null && isEmpty(content)) no(`${where}: content is empty`)
        if (Array.isArray(content)) for (const part of list(content)) checkPart(part, role, `${where}`, no)
        const hasImage = Array.isArray(content) && list(content).some(({ type }) => type === 'image_url')
        const hasFile = Array.isArray(content) && list(content).some(({ type }) => type === 'file')
        if (plain && content !== null && typeof content !== 'string' && !hasImage)
          no(`${where}: invalid type: sequence, expected a string`)
        if (plain && hasFile) no(`${where}: unknown part type file`)
        if (plain && role === 'user' && messages[index - 1]?.role === 'user') no(`${where}: roles must alternate`)
        for (const call of list(tool_calls ?? [])) {
          const { name, arguments: text } = functionOf(call)
          if (!ID.test(String(call.id))) no(`${where}: id too long or of other letters`)
          if (ids.has(call.id)) no(`${where}: id ${call.id} twice`)
          if (!NAME.test(String(name))) no(`${where}: name ${name}`)
          if (typeof text !== 'string' || (strict && !isObject(parsed(text)))) no(`${where}: arguments ${text}`)
          ids.add(call.id)
          open.push(call.id)
        }
      })
      if (open.length > 0) no('the last calls have no results')
    })

function checkPart(part: Json, role: unknown, where: string, no: (why: string) => void): void {
  if (part.type === 'text') return
  if (role !== 'user') no(`${where}: no ${part.type} for the ${role}`)
  if (part.type === 'image_url') {
    if (!IMAGES.includes(heldIn((part.image_url as Json).url) ?? '')) no(`${where}: invalid image`)
  } else if (part.type === 'file') {
    const { filename, file_data } = part.file as Json
    if (blank(filename) || heldIn(file_data) !== 'application/pdf') no(`${where}: invalid file`)
  } else no(`${where}: unknown part type ${part.type}`)
}

export const ollamaRefuses: Refuses = body =>
  because(body, (request, no) => {
    const { num_ctx, num_predict } = request.options as Json
    if (!(Number(num_ctx) > Number(num_predict))) no('num_ctx leaves no room')
    checkTools(list(request.tools ?? []).map(functionOf), request.tools !== undefined, no)
    const open: unknown[] = []
    list(request.messages).forEach(({ role, content, images, tool_calls, tool_name }, index) => {
      const where = `messages[${index}]`
      if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) no(`${where}: role ${role}`)
      if (typeof content !== 'string') no(`${where}: content is no string`)
      if (role === 'tool' && open.shift() !== tool_name) no(`${where}: a result out of order: ${tool_name}`)
      if (role !== 'tool' && open.length > 0) no(`${where}: calls without results: ${open}`)
      const isSilent = blank(content) && tool_calls === undefined && images === undefined
      if (role !== 'tool' && isSilent) no(`${where}: content is empty`)
      if (images !== undefined && (role !== 'user' || !Array.isArray(images) || images.length === 0 || !images.every(isFile)))
        no(`${where}: illegal base64 data in images`)
      open.push(...list(tool_calls ?? []).map(call => functionOf(call).name))
      if (list(tool_calls ?? []).some(call => !isObject(functionOf(call).arguments))) no(`${where}: arguments are no object`)
    })
    if (open.length > 0) no('the last calls have no results')
  })

function because(body: string, check: (request: Json, no: (why: string) => void) => void): readonly string[] {
  const whys: string[] = []
  const request = JSON.parse(body) as Json
  if (JSON.stringify(request) !== body) whys.push('the body is not what JSON.stringify writes')
  if (!stringsOf(request).every(text => text.isWellFormed())) whys.push('not valid JSON: no low surrogate in string')
  if (list(request.messages).length === 0) whys.push('messages: at least one message is required')
  check(request, why => whys.push(why))
  return whys
}

function checkTools(tools: readonly Json[], given: boolean, no: (why: string) => void): void {
  if (given && tools.length === 0) no('tools: an empty list')
  if (new Set(tools.map(({ name }) => name)).size !== tools.length) no('tool names must be unique')
  if (tools.some(({ name }) => !NAME.test(String(name)))) no('a tool name of other letters')
}

const list = (value: unknown): readonly Json[] => {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`)
  return value
}
const functionOf = (entry: Json): Json => entry.function as Json
const blank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === ''
const isEmpty = (content: unknown): boolean =>
  typeof content === 'string'
    ? blank(content)
    : list(content).length === 0 || list(content).some(({ type, text }) => type === 'text' && blank(text))
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsOf(inner)])
}
