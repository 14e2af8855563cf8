/** Routes of approvals and grants: tool calls that wait for a person, and what people allowed for longer. */
import { z } from 'zod'
import type { Engine, KeptGrant, Pending } from '../../../engine.ts'
import type { ApprovalAnswer } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { mapResult, ok } from '../../../model/result.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../route.ts'
import { pending, runFacts } from '../schemas/event.ts'
import { approvalId, plainText } from '../schemas/fields.ts'
import { type Schema, schema, text } from '../schemas/schema.ts'
import { done } from '../schemas/session.ts'

const approvalAnswer: z.ZodType<{ readonly answer: ApprovalAnswer; readonly reason?: string }> = z.strictObject({
  answer: z.enum(['once', 'session', 'always', 'deny']),
  reason: z.string().trim().min(1).max(500).exactOptional(),
})

const approvals: Schema<{ readonly items: readonly Pending[] }> = schema('Approvals', () =>
  z.object({ items: z.array(pending()) }),
)

const grants: Schema<{ readonly items: readonly KeptGrant[] }> = schema('Grants', () =>
  z.object({
    items: z.array(
      z.object({
        id: z.string(),
        tool: z.string(),
        binding: z.string(),
        session: text<SessionId>().nullable(),
        facts: runFacts(),
        at: z.string(),
      }),
    ),
  }),
)

type Needs = { readonly engine: Pick<Engine, 'allApprovals' | 'answer' | 'grants' | 'revoke'> }

export const approvalRoutes = ({ engine }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/approvals',
    operationId: 'listApprovals',
    summary: 'Tool calls that wait for a person',
    answers: [jsonRouteAnswer(200, approvals, 'The calls')],
    handle: async () => mapResult(await engine.allApprovals(), items => ({ items })),
  }),
  route({
    method: 'post',
    path: '/api/approvals/:id',
    operationId: 'answerApproval',
    summary: 'Answer such a call; the first answer counts',
    params: { id: approvalId },
    body: approvalAnswer,
    answers: [jsonRouteAnswer(200, done, 'Answered')],
    problems: { 409: 'Answered already' },
    handle: async ({ params: { id }, body: { answer, reason } }) => {
      const answered = await engine.answer(id, answer, reason)
      return answered.ok ? ok({}) : answered
    },
  }),
  route({
    method: 'get',
    path: '/api/grants',
    operationId: 'listGrants',
    summary: 'What people allowed for a session or for good, and what that is bound to',
    answers: [jsonRouteAnswer(200, grants, 'The grants')],
    handle: async () => {
      const items = await engine.grants()
      return items.ok ? ok({ items: items.value }) : items
    },
  }),
  route({
    method: 'delete',
    path: '/api/grants/:id',
    operationId: 'revokeGrant',
    summary: 'Take a grant back: the tool asks again',
    params: { id: plainText('The id of a grant') },
    answers: [noContent('Taken back')],
    problems: { 404: 'There is no such grant' },
    handle: ({ params: { id } }) => engine.revoke(id),
  }),
]
