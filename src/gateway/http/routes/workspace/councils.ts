/** Routes of councils: list, write and delete them, and move their advisors as a file. */
import { z } from 'zod'
import type { Engine, Suggestion } from '../../../../engine.ts'
import { fault } from '../../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../../model/ids.ts'
import { err, ok } from '../../../../model/result.ts'
import { type Advisor, type Council, SYNTHESIS_MODES } from '../../../../model/settings/council.ts'
import { nameListSchema } from '../../../../model/settings/name-list.ts'
import { maxTokensSchema, samplingSchema } from '../../../../model/settings/sampling-schema.ts'
import { imported } from '../../../workspace/council-edits.ts'
import type { Councils } from '../../../workspace/councils.ts'
import { parseAdvisors, parseCouncil, sentAdvisors, sentCouncil } from '../../../workspace/councils-file.ts'
import { problemResponse } from '../../problem.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../../route.ts'
import { plainText } from '../../schemas/fields.ts'
import { type Schema, schema, text } from '../../schemas/schema.ts'
import { onOneLine, sentObject, withoutKey } from '../../workspace-body.ts'

const advisor: Schema<Advisor> = schema('Advisor', () =>
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    color: z.string(),
    model: z.string().exactOptional(),
    policy: z.string().exactOptional(),
    active: z.boolean(),
    group: z.string().exactOptional(),
    house: z.boolean().exactOptional(),
    thinking: z.boolean().exactOptional(),
    sampling: samplingSchema.exactOptional(),
    maxTokens: maxTokensSchema.exactOptional(),
    tools: nameListSchema.exactOptional(),
    skills: nameListSchema.exactOptional(),
  }),
)

const council: Schema<Council> = schema('Council', () =>
  z.object({
    key: z.string(),
    name: z.string(),
    advisors: z.array(advisor()),
    references: z.enum(['last-round', 'none']),
    early: z.object({ turns: z.int() }),
    synthesis: z.enum(SYNTHESIS_MODES).exactOptional(),
  }),
)

const councilList: Schema<{ readonly items: readonly Council[] }> = schema('CouncilList', () =>
  z.object({ items: z.array(council()) }),
)

const advisors: Schema<{ readonly advisors: readonly Advisor[] }> = schema('Advisors', () =>
  z.object({ advisors: z.array(advisor()) }),
)

const suggestion: Schema<Suggestion> = schema('Suggestion', () =>
  z.object({
    advisors: z.array(z.object({ name: z.string(), description: z.string(), group: z.string().exactOptional() })),
    session: text<SessionId>(),
    turn: text<TurnId>().nullable(),
  }),
)

const suggested: z.ZodType<{ readonly question: string }> = z.strictObject({
  question: z.string().trim().min(1).max(10_000),
})

const key = plainText('The key of a council')
const sentWhole = sentObject(sentCouncil)
const sentFile = sentObject(sentAdvisors)

type Needs = { readonly engine: Pick<Engine, 'suggest'>; readonly councils: Councils }

export const councilRoutes = ({ engine, councils }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/councils',
    operationId: 'listCouncils',
    summary: 'The councils there are',
    answers: [jsonRouteAnswer(200, councilList, 'Councils')],
    handle: () => ok({ items: councils.now() }),
  }),
  route({
    method: 'put',
    path: '/api/councils/:key',
    operationId: 'putCouncil',
    summary: 'Write a council whole: add it, or add, edit, hide, remove and reorder its advisors',
    params: { key },
    body: sentWhole,
    answers: [jsonRouteAnswer(200, council, 'The council as it is kept')],
    handle: async ({ params, body }) => {
      const rest = withoutKey(body, params.key)
      const read = rest.ok ? parseCouncil(params.key, rest.value, councils.setting) : rest
      return onOneLine(read.ok ? await councils.put(params.key, read.value) : read)
    },
  }),
  route({
    method: 'delete',
    path: '/api/councils/:key',
    operationId: 'deleteCouncil',
    summary: 'Delete a council',
    params: { key },
    answers: [noContent('Gone')],
    handle: async ({ params }) => onOneLine(await councils.remove(params.key)),
  }),
  route({
    method: 'get',
    path: '/api/councils/:key/advisors',
    operationId: 'exportAdvisors',
    summary: 'Export the advisors of a council as a file',
    params: { key },
    answers: [jsonRouteAnswer(200, advisors, 'The advisors')],
    handle: ({ params, c }) => {
      const found = councils.now().find(each => each.key === params.key)
      if (found === undefined) return onOneLine(err(fault('not-found', `there is no council "${params.key}"`)))
      // A key has nothing in it that a file name could not have.
      const disposition = `attachment; filename="${found.key}-advisors.json"`
      return ok(c.json({ advisors: found.advisors }, 200, { 'content-disposition': disposition }))
    },
  }),
  route({
    method: 'post',
    path: '/api/councils/:key/advisors',
    operationId: 'importAdvisors',
    summary: 'Import advisors: the same id takes the place of the one who had it, others are added; all or none',
    params: { key },
    body: sentFile,
    answers: [jsonRouteAnswer(200, council, 'The council as it is kept')],
    handle: async ({ params, body }) => {
      const rest = withoutKey(body, params.key)
      const read = rest.ok ? parseAdvisors(rest.value, councils.setting) : rest
      if (!read.ok) return onOneLine(read)
      return onOneLine(await councils.edit(params.key, edited => ok(imported(edited, read.value))))
    },
  }),
  route({
    method: 'post',
    path: '/api/councils/:key/suggestions',
    operationId: 'suggestAdvisors',
    summary: 'Suggest advisors for a question, by the configured model; nothing is changed',
    params: { key },
    body: suggested,
    answers: [jsonRouteAnswer(200, suggestion, 'Suggested advisors, and the session in which the model was asked')],
    problems: { 502: 'The provider refused its key' },
    handle: async ({ params, body: { question } }) => {
      const suggested = await engine.suggest(params.key, question)
      // The caller’s own token was right: 401 would say that it was not.
      if (suggested.ok || suggested.fault.kind !== 'unauthorized') return suggested
      return ok(problemResponse({ fault: suggested.fault, status: 502 }))
    },
  }),
]
