/** Routes of what is remembered between chats: its list with prices, and where chats may look. */
import { z } from 'zod'
import type { Engine, MemoryItem, MemoryQuery } from '../../../../engine.ts'
import type { SessionId } from '../../../../model/ids.ts'
import type { RecallFrom } from '../../../../model/recall.ts'
import { ok } from '../../../../model/result.ts'
import type { MemorySettings } from '../../../workspace/memory-settings.ts'
import type { Projects } from '../../../workspace/projects.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { upTo } from '../../schemas/fields.ts'
import { recallFrom } from '../../schemas/receipt.ts'
import { type Schema, schema, text } from '../../schemas/schema.ts'
import { onOneLine } from '../../workspace-body.ts'

const PAGE = 50

const memoryQuery: z.ZodType<Partial<MemoryQuery>> = z.object({
  cursor: z.string().max(500).exactOptional(),
  limit: upTo(200).exactOptional(),
})

const memoryChange: z.ZodType<{ readonly from: RecallFrom }> = z.strictObject({
  from: z.enum(['session', 'project', 'everywhere']),
})

const shared = () => ({
  session: text<SessionId>(),
  title: z.string().nullable(),
  seq: z.int(),
  text: z.string(),
  tokens: z.number(),
  at: z.string(),
})

const memoryItem: Schema<MemoryItem> = schema('MemoryItem', () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('pin'), ...shared(), reach: recallFrom() }),
    z.object({
      kind: z.literal('fold'),
      ...shared(),
      from: z.int(),
      to: z.int(),
      by: z.enum(['model', 'extract', 'person']),
      folded: z.int().exactOptional(),
    }),
  ]),
)

/** Everything that is remembered beyond one window. */
export type ShownMemory = {
  readonly from: RecallFrom
  readonly projects: readonly { readonly name: string; readonly recall: boolean }[]
  readonly items: readonly MemoryItem[]
  readonly next: string | null
  /** Of the items on this page, together. */
  readonly tokens: number
}

const shownMemory: Schema<ShownMemory> = schema('Memory', () =>
  z.object({
    from: recallFrom(),
    projects: z.array(z.object({ name: z.string(), recall: z.boolean() })),
    items: z.array(memoryItem()),
    next: z.string().nullable(),
    tokens: z.number(),
  }),
)

const memorySwitch: Schema<{ readonly from: RecallFrom }> = schema('MemorySwitch', () => z.object({ from: recallFrom() }))

type Needs = {
  readonly engine: Pick<Engine, 'memory' | 'projects'>
  readonly projects: Pick<Projects, 'recalls'>
  readonly memory: MemorySettings
}

export const memoryRoutes = ({ engine, projects, memory }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/memory',
    operationId: 'listMemory',
    summary: 'What is remembered: pins and summaries of all chats with their price in tokens, newest first, and the switches',
    query: memoryQuery,
    answers: [jsonRouteAnswer(200, shownMemory, 'A page of what is remembered')],
    handle: async ({ query }) => {
      const listed = await engine.memory({ limit: PAGE, ...query })
      if (!listed.ok) return listed
      const { items, next } = listed.value
      const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
      return ok({ from: memory.now(), projects: await switches(engine, projects), items, next, tokens })
    },
  }),
  route({
    method: 'patch',
    path: '/api/memory',
    operationId: 'changeMemory',
    ownerOnly: true,
    summary: 'Say where every chat may look for earlier messages: in turnwise.json, and from the next turn on',
    body: memoryChange,
    problems: { 409: 'There is no workspace, or turnwise.json cannot be edited just now' },
    answers: [jsonRouteAnswer(200, memorySwitch, 'Where chats may look now')],
    handle: async ({ body }) => {
      const written = await memory.write(body.from)
      return onOneLine(written.ok ? ok({ from: written.value }) : written)
    },
  }),
]

const switches = async (engine: Needs['engine'], projects: Needs['projects']): Promise<ShownMemory['projects']> =>
  Promise.all(
    (await engine.projects()).map(async name => {
      const recalls = await projects.recalls(name)
      return { name, recall: recalls.ok && recalls.value }
    }),
  )
