/** Routes of projects: list, show and write them, and let their chats quote each other. */
import { z } from 'zod'
import type { Engine } from '../../../../engine.ts'
import { ok } from '../../../../model/result.ts'
import type { Project, Projects } from '../../../workspace/projects.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'
import { onOneLine } from '../../workspace-body.ts'

/** It goes with every request of its sessions; more would leave no room for what is said. */
const MOST_CHARACTERS = 200_000

const projectText: z.ZodType<{ readonly context: string }> = z.strictObject({
  context: z
    .string()
    .max(MOST_CHARACTERS, `is too long; at most ${MOST_CHARACTERS} characters`)
    .refine(text => text.isWellFormed() && !text.includes('\0'), 'has characters that no text file can keep'),
})

const recallChange: z.ZodType<Pick<Project, 'recall'>> = z.strictObject({ recall: z.boolean() })

const project: Schema<Project> = schema('Project', () => z.object({ name: z.string(), context: z.string(), recall: z.boolean() }))

/** `tokens` is not there where the text cannot be read. */
type ListedProject = { readonly name: string; readonly tokens?: number; readonly recall: boolean }

const projectList: Schema<{ readonly items: readonly ListedProject[] }> = schema('ProjectList', () =>
  z.object({ items: z.array(z.object({ name: z.string(), tokens: z.int().exactOptional(), recall: z.boolean() })) }),
)

const name = plainText('The name of a project')

type Needs = { readonly engine: Pick<Engine, 'projects' | 'tokensIn'>; readonly projects: Projects }

export const projectRoutes = ({ engine, projects }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/projects',
    operationId: 'listProjects',
    summary: 'The projects there are, with the price of their text in tokens, and whether their chats may quote each other',
    answers: [jsonRouteAnswer(200, projectList, 'Projects')],
    handle: async () =>
      ok({ items: await Promise.all((await engine.projects()).map(each => listed({ engine, projects }, each))) }),
  }),
  route({
    method: 'put',
    path: '/api/projects/:name',
    operationId: 'putProject',
    summary: 'Make a project, or write its text anew',
    params: { name },
    body: projectText,
    answers: [jsonRouteAnswer(200, project, 'The project as it is kept')],
    handle: async ({ params, body }) => onOneLine(await projects.write({ name: params.name, ...body })),
  }),
  route({
    method: 'get',
    path: '/api/projects/:name',
    operationId: 'getProject',
    summary: 'Show a project and its text',
    params: { name },
    answers: [jsonRouteAnswer(200, project, 'The project')],
    handle: async ({ params }) => onOneLine(await projects.read(params.name)),
  }),
  route({
    method: 'patch',
    path: '/api/projects/:name',
    operationId: 'changeProject',
    summary: 'Let the chats of a project quote each other, or not; it counts from the next turn on',
    params: { name },
    body: recallChange,
    problems: { 409: 'There is no workspace, or the project’s settings cannot be edited just now' },
    answers: [jsonRouteAnswer(200, project, 'The project')],
    handle: async ({ params, body }) => onOneLine(await projects.setRecall(params.name, body.recall)),
  }),
]

async function listed({ engine, projects }: Needs, own: string): Promise<ListedProject> {
  const read = await projects.read(own)
  if (!read.ok) return { name: own, recall: false }
  return { name: own, tokens: engine.tokensIn(read.value.context.trim()), recall: read.value.recall }
}
