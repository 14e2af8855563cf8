/** Routes of agents: list, show, write and delete them. */
import { z } from 'zod'
import type { Engine } from '../../../../engine.ts'
import { err, ok } from '../../../../model/result.ts'
import { nameListSchema } from '../../../../model/settings/name-list.ts'
import { maxTokensSchema, samplingSchema } from '../../../../model/settings/sampling-schema.ts'
import type { Agent, WrittenAgent } from '../../../../model/voice.ts'
import { type Agents, missing } from '../../../workspace/agents.ts'
import { parseAgent, sentAgent } from '../../../workspace/agents-file.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'
import { onOneLine, sentObject, withoutKey } from '../../workspace-body.ts'

type ListedAgent = Pick<Agent, 'key' | 'name'> & {
  readonly [Name in 'description' | 'color' | 'model' | 'policy' | 'thinking' | 'sampling' | 'maxTokens' | 'tools' | 'skills']?:
    | Agent[Name]
    | undefined
}

const listed: Schema<{ readonly items: readonly ListedAgent[] }> = schema('AgentList', () =>
  z.object({
    items: z.array(
      z.object({
        key: z.string(),
        name: z.string(),
        description: z.string().optional(),
        color: z.string().optional(),
        model: z.string().optional(),
        policy: z.string().optional(),
        thinking: z.boolean().optional(),
        sampling: samplingSchema.optional(),
        maxTokens: maxTokensSchema.optional(),
        tools: nameListSchema.optional(),
        skills: nameListSchema.optional(),
      }),
    ),
  }),
)

/** An agent without a file, such as the assistant of an empty workspace, is shown as the engine has it. */
const agent: Schema<WrittenAgent | Agent> = schema('Agent', () =>
  z.object({
    key: z.string(),
    name: z.string(),
    prompt: z.string(),
    description: z.string().exactOptional(),
    personality: z.string().exactOptional(),
    example: z.union([z.string(), z.record(z.string(), z.unknown())]).exactOptional(),
    suffix: z.string().exactOptional(),
    no_implementation: z.boolean().exactOptional(),
    model: z.string().exactOptional(),
    policy: z.string().exactOptional(),
    color: z.string().exactOptional(),
    thinking: z.boolean().exactOptional(),
    sampling: samplingSchema.exactOptional(),
    protocol: z.enum(['native', 'text']).exactOptional(),
    maxTokens: maxTokensSchema.exactOptional(),
    tools: nameListSchema.exactOptional(),
    skills: nameListSchema.exactOptional(),
    stream: z.boolean().exactOptional(),
  }),
)

const key = plainText('The key of an agent')
const sent = sentObject(sentAgent)

type Needs = { readonly engine: Pick<Engine, 'agents'>; readonly agents: Agents }

export const agentRoutes = ({ engine, agents }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/agents',
    operationId: 'listAgents',
    summary: 'The agents there are',
    answers: [jsonRouteAnswer(200, listed, 'Agents')],
    handle: () => ok({ items: engine.agents().map(shown) }),
  }),
  route({
    method: 'get',
    path: '/api/agents/:key',
    operationId: 'getAgent',
    summary: 'Show an agent as it is written',
    params: { key },
    answers: [jsonRouteAnswer(200, agent, 'The agent, with its text')],
    handle: ({ params }) => {
      const isIt = (each: { readonly key: string }): boolean => each.key === params.key
      const found = agents.now().written.find(isIt) ?? engine.agents().find(isIt)
      const known = engine.agents().map(each => each.key)
      return onOneLine(found === undefined ? err(missing(params.key, known)) : ok(found))
    },
  }),
  route({
    method: 'put',
    path: '/api/agents/:key',
    operationId: 'putAgent',
    summary: 'Write an agent whole: add it, or edit it; the first one is added behind "assistant"',
    params: { key },
    body: sent,
    answers: [jsonRouteAnswer(200, agent, 'The agent as it is kept')],
    handle: async ({ params, body }) => {
      const rest = withoutKey(body, params.key)
      const read = rest.ok ? parseAgent(params.key, rest.value, agents.setting) : rest
      return onOneLine(read.ok ? await agents.put(read.value) : read)
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/:key',
    operationId: 'deleteAgent',
    summary: 'Delete an agent; its sessions stay, and go on with the plain one',
    params: { key },
    answers: [noContent('Gone')],
    handle: async ({ params }) => onOneLine(await agents.remove(params.key)),
  }),
]

/** What one chooses an agent by; its text is in an answer of its own. */
const shown = ({
  key: own,
  name,
  description,
  color,
  model,
  policy,
  thinking,
  sampling,
  maxTokens,
  tools,
  skills,
}: Agent): ListedAgent => ({
  key: own,
  name,
  description,
  color,
  model,
  policy,
  thinking,
  sampling,
  maxTokens,
  tools,
  skills,
})
