/** Routes of the models, providers and policies one may choose from. */
import { z } from 'zod'
import type { Engine } from '../../../../engine.ts'
import { ok } from '../../../../model/result.ts'
import type { Policy } from '../../../../model/settings/policy.ts'
import type { Connections } from '../../../settings/connections.ts'
import type { ListedDefaults } from '../../../usual.ts'
import type { ModelWindow, ModelWindows } from '../../../workspace/model-windows.ts'
import { type ShownModels, type ShownProvider, shownModels, shownProviders } from '../../../workspace/models.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { recallFrom } from '../../schemas/receipt.ts'
import { type Schema, schema } from '../../schemas/schema.ts'
import { onOneLine } from '../../workspace-body.ts'

const rates = () => ({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().exactOptional(),
  cacheWrite: z.number().exactOptional(),
})

/** Dollars for a million tokens. */
const price = () => z.object({ ...rates(), long: z.object({ ...rates(), above: z.number() }).exactOptional() })

const model = () =>
  z.object({
    name: z.string(),
    provider: z.string(),
    window: z.number(),
    output: z.number().nullable(),
    price: price().nullable(),
    images: z.boolean(),
    files: z.boolean(),
    thinking: z.boolean(),
    tools: z.boolean(),
    ready: z.boolean(),
    needs: z.string().optional(),
  })

const provider = () =>
  z.object({
    name: z.string(),
    ready: z.boolean(),
    needs: z.string().nullable(),
    baseURL: z.string(),
    running: z.boolean().optional(),
  })

const models: Schema<ShownModels & { readonly providers: readonly ShownProvider[] }> = schema('ModelList', () =>
  z.object({ items: z.array(model()), default: z.string(), providers: z.array(provider()) }),
)

const policyWindow = () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('all') }),
    z.object({ kind: z.literal('last'), messages: z.int() }),
    z.object({ kind: z.literal('head-tail'), max: z.int(), head: z.int(), recent: z.int(), noteOver: z.int() }),
    z.object({
      kind: z.literal('tokens'),
      low: z.int().nullable(),
      high: z.int().nullable(),
      follow: z.boolean().exactOptional(),
    }),
  ])

const policy: Schema<Policy> = schema('Policy', () =>
  z.object({
    name: z.string(),
    version: z.int(),
    view: z.enum(['all', 'own']),
    window: policyWindow(),
    thinking: z.enum(['never', 'current']),
    stamps: z.boolean(),
    references: z.enum(['none', 'last-round']),
    render: z.enum(['messages', 'transcript']),
    recall: z
      .object({ tokens: z.union([z.literal('auto'), z.int()]), from: recallFrom() })
      .nullable()
      .exactOptional(),
    fold: z
      .object({ by: z.enum(['auto', 'model', 'extract']), tokens: z.union([z.literal('auto'), z.int()]) })
      .nullable()
      .exactOptional(),
    budget: z.object({ tokens: z.int().nullable(), reserve: z.int().nullable() }),
  }),
)

const policies: Schema<{ readonly items: readonly Policy[]; readonly default?: string | undefined }> = schema('PolicyList', () =>
  z.object({ items: z.array(policy()), default: z.string().optional() }),
)

/** No model of today takes more, and a mistyped number must not fill the memory of a machine. */
const LARGEST_WINDOW = 2_097_152

const windowWanted: z.ZodType<ModelWindow> = z.strictObject({
  name: z.string().min(1).max(300),
  window: z.int().min(1024).max(LARGEST_WINDOW),
})

const modelWindow: Schema<ModelWindow> = schema('ModelWindow', () => z.object({ name: z.string(), window: z.int() }))

type Needs = {
  readonly engine: Pick<Engine, 'policies' | 'models' | 'providers'>
  readonly usual: (() => ListedDefaults) | undefined
  readonly windows: ModelWindows
  readonly connections: Pick<Connections, 'refresh'>
}

export const modelRoutes = ({ engine, usual, windows, connections }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/policies',
    operationId: 'listPolicies',
    summary: 'The policies there are, and which is the usual one',
    answers: [jsonRouteAnswer(200, policies, 'Policies')],
    handle: () => ok({ items: engine.policies, default: usual?.().policy }),
  }),
  route({
    method: 'get',
    path: '/api/models',
    operationId: 'listModels',
    summary: 'The models and providers there are, and what each wants before it can be asked',
    answers: [jsonRouteAnswer(200, models, 'Models and providers')],
    handle: async () => {
      await connections.refresh()
      return ok({ ...shownModels(await engine.models()), providers: shownProviders(await engine.providers()) })
    },
  }),
  route({
    method: 'patch',
    path: '/api/models',
    operationId: 'setModelWindow',
    ownerOnly: true,
    summary: 'Set the window of a model of Ollama, in turnwise.json and at once',
    body: windowWanted,
    problems: { 409: 'There is no workspace, or turnwise.json cannot be edited just now' },
    answers: [jsonRouteAnswer(200, modelWindow, 'The model and its window')],
    handle: async ({ body }) => onOneLine(await windows.raise(body)),
  }),
]
