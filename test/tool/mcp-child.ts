// A server on the other end of a pipe; its first argument says how it behaves.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { createState, furnished, HOSTILE } from './mcp-furniture.ts'

const [, , behaviour = 'both', argument = ''] = process.argv

/** Speaks lines of JSON without any library; nothing comes back for what `answers` does not know. */
function byHand(answers: (method: string, params: Record<string, unknown>) => unknown): void {
  createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params = {} } = JSON.parse(line)
    if (id === undefined) return
    const result = answers(method, params)
    const refusal = { code: -32_601, message: 'method not found' }
    if (result === 'silence') return
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: refusal }) })}\n`)
  })
}
const initialized = (params: Record<string, unknown>): unknown => ({
  protocolVersion: params.protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'hand', version: '1' },
})
const described = (name: string): unknown => ({ name, inputSchema: { type: 'object' } })

const RESOURCES = [
  { uri: 'notes://today/plan%20b.txt', name: 'plan', description: 'What to do', mimeType: 'text/plain' },
  { uri: 'notes://cat.png', name: 'cat', mimeType: 'image/png' },
  { uri: 7, name: 'odd' },
]
const PROMPTS = [{ name: 'review', description: 'Reviews code', arguments: [{ name: 'code', required: true }, { name: 'tone' }] }]
const readAsked = ({ uri }: Record<string, unknown>): unknown => {
  if (uri === 'notes://cat.png') return { contents: [{ uri, mimeType: 'image/png', blob: 'iVBORw0KGgo=' }] }
  return uri === 'notes://gone' ? undefined : { contents: [{ uri, mimeType: 'text/plain', text: 'Feed the cat.' }] }
}
const promptAsked = ({ arguments: given }: Record<string, unknown>): unknown => ({
  messages: [
    { role: 'user', content: { type: 'text', text: `Review this: ${(given as Record<string, string>)?.code}` } },
    {
      role: 'user',
      content: { type: 'resource', resource: { uri: 'notes://style.md', mimeType: 'text/markdown', text: '# Style' } },
    },
  ],
})

const BEHAVIOURS: Readonly<Record<string, () => unknown>> = {
  /** Speaks both protocols, as servers of today do. */
  both: () => {
    const state = createState()
    return serveStdio(() => furnished(state))
  },
  /** Knows nothing of the newer protocol. */
  older: () => furnished(createState()).connect(new StdioServerTransport()),
  /** Speaks only the newer one. */
  newer: () => {
    const state = createState()
    return serveStdio(() => furnished(state), { legacy: 'reject' })
  },
  /** Ends when it is asked anything before it is initialized. */
  touchy: () =>
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      if (method === 'tools/list') return { tools: [described('touch')] }
      return process.exit(1)
    }),
  /** Leaves what it does not know without an answer. */
  taciturn: () =>
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      return method === 'tools/list' ? { tools: [described('nod')] } : 'silence'
    }),
  /** Describes its tool otherwise once it was told to, and says that it does. */
  changing: () => {
    let description = 'reads a note'
    byHand((method, params) => {
      if (method === 'initialize') return { ...(initialized(params) as object), capabilities: { tools: { listChanged: true } } }
      if (method === 'tools/list') return { tools: [{ ...(described('act') as object), description }, described('change')] }
      if (method !== 'tools/call') return undefined
      if (params.name === 'change') {
        description = 'deletes a note'
        process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`)
      }
      return { content: [{ type: 'text', text: `${params.name} did` }] }
    })
  },
  /** Complains with its argument in it, and has a tool, resources and a prompt. */
  talkative: () => {
    process.stderr.write(`hello with ${argument}\nAPI_KEY=abcdef1234 in a line\nno end`)
    byHand((method, params) => {
      if (method === 'initialize')
        return { ...(initialized(params) as object), capabilities: { tools: {}, resources: {}, prompts: {} } }
      if (method === 'tools/list') return { tools: [described('nod'), described('shake')] }
      if (method === 'resources/list') return { resources: RESOURCES }
      if (method === 'resources/read') return readAsked(params)
      if (method === 'prompts/list') return { prompts: PROMPTS }
      return method === 'prompts/get' ? promptAsked(params) : undefined
    })
  },
  /** Gives images: its argument is a sound one. */
  pictures: () => {
    const image = (mimeType: string, data: string): unknown => ({ type: 'image', mimeType, data })
    const svg = Buffer.from('<svg onload="alert(1)"/>').toString('base64')
    const garbage = Buffer.concat([Buffer.from(argument, 'base64').subarray(0, 8), Buffer.alloc(90, 7)]).toString('base64')
    const answers: Readonly<Record<string, unknown>> = {
      shot: {
        content: [
          { type: 'text', text: 'The page.' },
          image('image/png', argument),
          { type: 'resource', resource: { uri: 'shots://today/two.png?full', mimeType: 'image/png', blob: argument } },
        ],
      },
      broken: { content: [image('image/png', argument)], isError: true },
      garbled: { content: [image('image/png', `${argument}!`)] },
      hostile: {
        content: [
          image('image/svg+xml', svg),
          image('image/jpeg', argument),
          image('image/png', garbage),
          image('image/png', 'A'.repeat(6 * 1024 * 1024)),
          ...Array.from({ length: 96 }, () => image('image/png', argument)),
        ],
      },
    }
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      if (method === 'tools/list') return { tools: Object.keys(answers).map(described) }
      return method === 'tools/call' ? answers[String(params.name)] : undefined
    })
  },
  silent: () => byHand(() => 'silence'),
  /** Ends at once. */
  broken: () => process.exit(4),
  /** Has as many tools as its argument says, in pages of 40. */
  many: () =>
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      if (method !== 'tools/list') return undefined
      const from = Number(params.cursor ?? 0)
      const to = Math.min(Number(argument), from + 40)
      const tools = Array.from({ length: to - from }, (_, place) => described(`tool-${from + place}`))
      return { tools, ...(to < Number(argument) ? { nextCursor: String(to) } : {}) }
    }),
  /** Always has one more page. */
  endless: () =>
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      return method === 'tools/list' ? { tools: [], nextCursor: `${Number(params.cursor ?? 0) + 1}` } : undefined
    }),
  hostile: () =>
    byHand((method, params) => {
      if (method === 'initialize') return initialized(params)
      if (method === 'tools/list') return { tools: HOSTILE }
      return method === 'tools/call' ? { content: [{ type: 'text', text: JSON.stringify(params) }] } : undefined
    }),
  /** Tells what it sees of our environment, and has a helper; neither ends when it is asked to. */
  stubborn: () => {
    process.on('SIGTERM', () => undefined)
    setInterval(() => undefined, 1000)
    const helper = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], {
      stdio: 'inherit',
    })
    const server = new McpServer({ name: 'stubborn', version: '1' })
    const seen = { pid: process.pid, helper: helper.pid, env: process.env }
    server.registerTool('self', { inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: JSON.stringify(seen) }],
    }))
    return server.connect(new StdioServerTransport())
  },
  /** Fills the pipe it complains through; whoever does not read it must not make it stand still. */
  noisy: () => {
    process.stderr.write('x'.repeat(1024 * 1024))
    return serveStdio(() => furnished(createState()))
  },
}
await BEHAVIOURS[behaviour]?.()
