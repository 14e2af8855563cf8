/** Routes that connect providers with a key or an address, check them, and disconnect them. */
import { z } from 'zod'
import type { ConnectedProvider, ProviderList } from '../../../../model/connectable-providers.ts'
import { ok } from '../../../../model/result.ts'
import type { Connections } from '../../../settings/connections.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'
import { onOneLine } from '../../workspace-body.ts'

const origin = ['environment', 'secrets', 'file'] as const

const connected = () =>
  z.object({
    name: z.string(),
    kind: z.string(),
    title: z.string(),
    baseURL: z.string(),
    hasKey: z.boolean(),
    last4: z.string().nullable(),
    keyFrom: z.enum(origin).nullable(),
    keyVariable: z.string().nullable(),
    addressFrom: z.enum([...origin, 'vendor']),
    state: z.enum(['ready', 'no-key', 'bad-key', 'unreachable', 'unchecked']),
    message: z.string().nullable(),
    models: z.array(z.string()),
    checkedAt: z.string().nullable(),
    needsKey: z.boolean(),
    isRemovable: z.boolean(),
  })

const template = () =>
  z.object({
    name: z.string(),
    title: z.string(),
    baseURL: z.string(),
    needsKey: z.boolean(),
    keyPage: z.string().nullable(),
    isLocal: z.boolean(),
  })

const provider: Schema<ConnectedProvider> = schema('Provider', connected)
const providers: Schema<ProviderList> = schema('ProviderList', () =>
  z.object({ items: z.array(connected()), templates: z.array(template()) }),
)

/** What is wrong with a key or an address is said by the settings, in the words they have for a file. */
const wanted = z.strictObject({ apiKey: z.string().max(4096).exactOptional(), baseURL: z.string().max(2048).exactOptional() })

const name = plainText('The name of a provider, as in `anthropic`, or of a compatible server')

type Needs = { readonly connections: Connections }

export const providerRoutes = ({ connections }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/providers',
    operationId: 'listProviders',
    summary: 'The providers there are: whether each has a key and answers, and which models it has. Never a key',
    answers: [jsonRouteAnswer(200, providers, 'Providers, and servers that can be connected by name')],
    handle: async () => ok(await connections.list()),
  }),
  route({
    method: 'put',
    path: '/api/providers/:name',
    operationId: 'connectProvider',
    ownerOnly: true,
    summary: 'Keep a key or an address in secrets.json and check it at once. It is kept also if the provider does not answer',
    params: { name },
    body: wanted,
    problems: { 409: 'There is no workspace, or secrets.json cannot be written' },
    answers: [jsonRouteAnswer(200, provider, 'The provider as it answered')],
    handle: async ({ params, body }) => onOneLine(await connections.connect(params.name, body)),
  }),
  route({
    method: 'post',
    path: '/api/providers/:name/check',
    operationId: 'checkProvider',
    summary: 'Ask a provider for its models now',
    params: { name },
    problems: { 404: 'There is no such provider' },
    answers: [jsonRouteAnswer(200, provider, 'The provider as it answered')],
    handle: async ({ params }) => onOneLine(await connections.check(params.name)),
  }),
  route({
    method: 'delete',
    path: '/api/providers/:name',
    operationId: 'disconnectProvider',
    ownerOnly: true,
    summary: 'Forget the key and the address that secrets.json has. Those of the environment and of turnwise.json stay',
    params: { name },
    problems: {
      404: 'There is no such provider',
      409: 'An agent, an advisor or the settings use a model of this server, or secrets.json has nothing of this provider',
    },
    answers: [noContent('Forgotten')],
    handle: async ({ params }) => onOneLine(await connections.disconnect(params.name)),
  }),
]
