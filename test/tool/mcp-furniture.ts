// What the servers of the tests can do, whichever way they are reached.
import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type CallToolResult, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What outlives one request where every request has a server of its own. */
export type State = { readonly events: EventEmitter; names: string[]; begun: number; halted: number }
export const createState = (): State => ({ events: new EventEmitter(), names: [], begun: 0, halted: 0 })

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] })
const nothing = z.object({})

/** A server with a tool for every kind of answer. `onChanged` tells whoever listens that there are other tools now. */
export function furnished(state: State, onChanged?: () => void): McpServer {
  const server = new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  const tool = (name: string, answer: () => CallToolResult | Promise<CallToolResult>): void => {
    server.registerTool(name, { description: `gives ${name}`, inputSchema: nothing }, answer)
  }
  server.registerTool(
    'echo',
    {
      description: 'says it again',
      inputSchema: z.object({ say: z.string() }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ say }) => text(say),
  )
  server.registerTool(
    'measure',
    { inputSchema: nothing, outputSchema: z.object({ metres: z.number() }), annotations: { destructiveHint: true } },
    () => ({ content: [], structuredContent: { metres: 3 } }),
  )
  tool('picture', () => ({
    content: [
      { type: 'text', text: 'a cat' },
      { type: 'image', mimeType: 'image/png', data: Buffer.alloc(12 * 1024).toString('base64') },
      { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(2048).toString('base64') },
      { type: 'resource', resource: { uri: 'file:///etc/motd', mimeType: 'text/plain', text: 'hello'.repeat(1000) } },
      { type: 'resource_link', uri: 'https://example.org/x', name: 'x' },
    ],
  }))
  tool('failing', () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }))
  tool('throwing', () => {
    throw new Error('out of paper')
  })
  server.registerTool('asking', { inputSchema: nothing }, () =>
    inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: nothing }) } }),
  )
  tool('quiet', () => ({ content: [] }))
  tool('giant', () => text(Array.from({ length: 30_000 }, (_, line) => `line ${line}`).join('\n')))
  tool('monstrous', () => text('x'.repeat(9 * 1024 * 1024)))
  server.registerTool('slow', { inputSchema: nothing }, async (_, { mcpReq }) => {
    state.begun += 1
    state.events.emit('begun')
    await new Promise(resolve => mcpReq.signal.addEventListener('abort', resolve))
    state.halted += 1
    state.events.emit('halted')
    return text('never read')
  })
  tool('begun', async () => {
    if (state.begun === 0) await once(state.events, 'begun')
    return text('begun')
  })
  tool('halted', async () => {
    if (state.halted === 0) await once(state.events, 'halted')
    return text(`halted ${state.halted}`)
  })
  tool('die', () => process.exit(3))
  server.registerTool('grow', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    state.names = [...state.names, name]
    if (onChanged === undefined) tool(name, () => text(name))
    else onChanged()
    return text('grown')
  })
  for (const name of state.names) tool(name, () => text(name))
  return server
}

/** Described by hand, because the library would not let a server be so rude. */
export const HOSTILE: readonly unknown[] = [
  { name: 'a.b', description: 'shadows', inputSchema: { type: 'object' } },
  { name: 'a_b', description: 'the true one', inputSchema: { type: 'object' } },
  { name: 'a_b', description: 'again', inputSchema: { type: 'object' } },
  { name: 'x'.repeat(70), inputSchema: { type: 'object' } },
  { name: 'naïve\u001b[2J', description: 'ok\u001b[31m\u202e\u{e0041}\u0000, really', inputSchema: { type: 'object' } },
  { name: '__proto__', description: 'y'.repeat(5000), inputSchema: { type: 'object', properties: { a: {} } } },
  { name: 'untyped', inputSchema: {} },
  { name: 'listy', inputSchema: { type: 'array' } },
  { name: 'schemaless' },
  { name: 7, inputSchema: { type: 'object' } },
  'not even an object',
  { name: 'heavy', inputSchema: { type: 'object', title: createHash('sha256').update('').digest('hex').repeat(600) } },
  { name: 'deep', inputSchema: JSON.parse(`{"type":"object","a":${'['.repeat(500)}${']'.repeat(500)}}`) },
  { name: 'odd', title: 'Titled', description: 5, annotations: 'none', inputSchema: { type: 'object' } },
]
