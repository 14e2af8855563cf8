// Resources and prompts of MCP servers, asked in this process or through the gateway.
import type { Engine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { GatewayCall } from './gateway-verbs.ts'

type Mcp = NonNullable<ReturnType<Engine['servers']>>
type Given<Asked extends 'prompts' | 'readResource'> = Extract<Awaited<ReturnType<Mcp[Asked]>>, { ok: true }>['value'][number]

/** A file or picture of a server, as messages take it. */
export type ServerPart = Given<'readResource'>
/** A prompt of a server, with its arguments. */
export type ListedPrompt = Given<'prompts'>

/** A server and how much it offers. */
export type OfferingServer = Pick<ReturnType<Mcp['list']>[number], 'name' | 'state' | 'resources' | 'prompts'>

export type McpVerbs = Pick<Mcp, 'resources' | 'readResource' | 'prompts' | 'prompt'> & {
  readonly servers: () => Promise<Result<readonly OfferingServer[], Fault>>
}

/** The servers of an engine in this process. They may have been started just now, so each question waits until they are up. */
export function engineMcp(engine: Pick<Engine, 'servers'>): McpVerbs {
  const asked = async <Value>(ask: (mcp: Mcp) => Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>> => {
    const mcp = engine.servers()
    if (mcp === undefined) return err(fault('not-found', 'there are no MCP servers here'))
    await mcp.ready
    return ask(mcp)
  }
  return {
    servers: () => asked(async mcp => ok(mcp.list())),
    resources: name => asked(mcp => mcp.resources(name)),
    readResource: (name, uri) => asked(mcp => mcp.readResource(name, uri)),
    prompts: name => asked(mcp => mcp.prompts(name)),
    prompt: (name, prompt, args) => asked(mcp => mcp.prompt(name, prompt, args)),
  }
}

/** The servers of a running gateway. */
export function gatewayMcp(call: GatewayCall): McpVerbs {
  const at = (name: string, rest: string): string => `/mcp/${encodeURIComponent(name)}/${rest}`
  const asked = async <Value>(answer: ReturnType<GatewayCall>): Promise<Result<Value, Fault>> => {
    const answered = await answer
    return answered.ok ? ok((await answered.value.json()) as Value) : answered
  }
  const items = async <Item>(path: string): Promise<Result<readonly Item[], Fault>> => {
    const listed = await asked<{ readonly items: readonly Item[] }>(call('GET', path))
    return listed.ok ? ok(listed.value.items) : listed
  }
  return {
    servers: () => items('/mcp'),
    resources: name => items(at(name, 'resources')),
    readResource: async (name, uri) => {
      const read = await asked<{ readonly parts: readonly ServerPart[] }>(call('POST', at(name, 'resources/read'), { uri }))
      return read.ok ? ok(read.value.parts) : read
    },
    prompts: name => items(at(name, 'prompts')),
    prompt: (name, prompt, args) => asked(call('POST', at(name, 'prompts/get'), { name: prompt, arguments: args })),
  }
}
