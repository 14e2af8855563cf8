/** Routes of the MCP servers: how they are, their logs, and the resources and prompts they offer. */
import { z } from 'zod'
import type { Engine, Mcp, McpStatus, OfferedPart, OfferedPrompt, OfferedResource, ServerLogLine } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'

type Items<T> = { readonly items: readonly T[] }

const server: Schema<McpStatus> = schema('McpServer', () =>
  z.object({
    name: z.string(),
    kind: z.enum(['process', 'http']),
    command: z.array(z.string()).exactOptional(),
    url: z.string().exactOptional(),
    state: z.enum(['starting', 'ready', 'down', 'refused', 'sign-in']),
    message: z.string().nullable(),
    tools: z.array(z.object({ name: z.string(), description: z.string(), approval: z.enum(['auto', 'ask', 'never']) })),
    resources: z.int(),
    prompts: z.int(),
    since: z.string(),
    restarts: z.int(),
    signedIn: z.boolean(),
  }),
)
const servers: Schema<Items<McpStatus>> = schema('McpServerList', () => z.object({ items: z.array(server()) }))

const log: Schema<Items<ServerLogLine>> = schema('McpServerLog', () =>
  z.object({ items: z.array(z.object({ at: z.string(), text: z.string() })) }),
)

const resources: Schema<Items<OfferedResource>> = schema('McpResourceList', () =>
  z.object({
    items: z.array(
      z.object({
        uri: z.string(),
        name: z.string(),
        description: z.string().exactOptional(),
        mediaType: z.string().exactOptional(),
      }),
    ),
  }),
)

const partSchema = (): z.ZodType<OfferedPart> =>
  z.object({ type: z.enum(['file', 'image']), name: z.string(), mediaType: z.string(), data: z.string() })

const resource: Schema<{ readonly parts: readonly OfferedPart[] }> = schema('McpResource', () =>
  z.object({ parts: z.array(partSchema()) }),
)

const prompts: Schema<Items<OfferedPrompt>> = schema('McpPromptList', () =>
  z.object({
    items: z.array(
      z.object({
        name: z.string(),
        description: z.string().exactOptional(),
        arguments: z.array(z.object({ name: z.string(), description: z.string().exactOptional(), required: z.boolean() })),
      }),
    ),
  }),
)

const prompt: Schema<{ readonly text: string; readonly parts: readonly OfferedPart[] }> = schema('McpPrompt', () =>
  z.object({ text: z.string(), parts: z.array(partSchema()) }),
)

const wantedResource = z.strictObject({ uri: z.string().min(1).max(2000) })
const wantedPrompt = z.strictObject({
  name: z.string().min(1).max(200),
  arguments: z.record(z.string().max(200), z.string().max(100_000)).default({}),
})

const params = { name: plainText('The name of an MCP server') }
const MISSING = { 404: 'There is no such server' }
const UNREACHED = { ...MISSING, 502: 'The server is not connected, or did not answer' }

export const mcpRoutes = ({ engine }: { readonly engine: Pick<Engine, 'servers'> }): readonly Route[] => {
  const asked = async <T>(ask: (mcp: Mcp) => Result<T, Fault> | Promise<Result<T, Fault>>): Promise<Result<T, Fault>> => {
    const mcp = engine.servers()
    return mcp === undefined ? err(fault('not-found', 'there are no MCP servers here')) : ask(mcp)
  }
  return [
    route({
      method: 'get',
      path: '/api/mcp',
      operationId: 'listMcpServers',
      summary: 'The MCP servers with their states and tools',
      answers: [jsonRouteAnswer(200, servers, 'The servers')],
      handle: () => ok({ items: engine.servers()?.list() ?? [] }),
    }),
    route({
      method: 'get',
      path: '/api/mcp/:name/log',
      operationId: 'getMcpServerLog',
      summary: 'The last lines of what a server wrote and what became of it, without secrets',
      params,
      problems: MISSING,
      answers: [jsonRouteAnswer(200, log, 'The lines, the oldest first')],
      handle: async ({ params: { name } }) => listed(await asked(mcp => mcp.log(name))),
    }),
    route({
      method: 'post',
      path: '/api/mcp/:name/restart',
      operationId: 'restartMcpServer',
      summary: 'End a server and start it again; answers when it is up or down, and in any case soon',
      params,
      problems: MISSING,
      answers: [jsonRouteAnswer(200, server, 'The server as it is now')],
      handle: ({ params: { name } }) => asked(mcp => mcp.restart(name)),
    }),
    route({
      method: 'get',
      path: '/api/mcp/:name/resources',
      operationId: 'listMcpResources',
      summary: 'The resources of a server',
      params,
      problems: UNREACHED,
      answers: [jsonRouteAnswer(200, resources, 'The resources')],
      handle: async ({ params: { name } }) => listed(await asked(mcp => mcp.resources(name))),
    }),
    route({
      method: 'post',
      path: '/api/mcp/:name/resources/read',
      operationId: 'readMcpResource',
      summary: 'Read a resource, as parts that a message takes',
      params,
      body: wantedResource,
      problems: UNREACHED,
      answers: [jsonRouteAnswer(200, resource, 'The parts')],
      handle: async ({ params: { name }, body }) => {
        const parts = await asked(mcp => mcp.readResource(name, body.uri))
        return parts.ok ? ok({ parts: parts.value }) : parts
      },
    }),
    route({
      method: 'get',
      path: '/api/mcp/:name/prompts',
      operationId: 'listMcpPrompts',
      summary: 'The prompts of a server',
      params,
      problems: UNREACHED,
      answers: [jsonRouteAnswer(200, prompts, 'The prompts')],
      handle: async ({ params: { name } }) => listed(await asked(mcp => mcp.prompts(name))),
    }),
    route({
      method: 'post',
      path: '/api/mcp/:name/prompts/get',
      operationId: 'getMcpPrompt',
      summary: 'A prompt with its arguments filled in',
      params,
      body: wantedPrompt,
      problems: UNREACHED,
      answers: [jsonRouteAnswer(200, prompt, 'The text, and parts that a message takes')],
      handle: ({ params: { name }, body }) => asked(mcp => mcp.prompt(name, body.name, body.arguments)),
    }),
  ]
}

const listed = <T>(found: Result<readonly T[], Fault>): Result<Items<T>, Fault> => (found.ok ? ok({ items: found.value }) : found)
