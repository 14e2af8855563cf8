/** Routes of sessions: open, list, show, change, delete, fork, name, and mark what was said in them. */
import { z } from 'zod'
import type { Engine, NewSession, SessionQuery, SessionWish } from '../../../engine.ts'
import type { Mark, Reach } from '../../../model/event.ts'
import { ok } from '../../../model/result.ts'
import { maxTokensSchema, samplingPatchSchema } from '../../../model/settings/sampling-schema.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../route.ts'
import { nothingSaid, sessionId, sessionSettings, upTo, yesOrNo } from '../schemas/fields.ts'
import { done, session, sessionPage, turns } from '../schemas/session.ts'

const PAGE = 50

const title = z.string().trim().min(1).max(200)

const newSession: z.ZodType<NewSession> = z.strictObject({ title: title.exactOptional(), ...sessionSettings })

const sessionChange: z.ZodType<SessionWish> = z
  .strictObject({
    title: title.nullable().exactOptional(),
    agent: z.string().exactOptional(),
    council: z.string().nullable().exactOptional(),
    policy: z.string().exactOptional(),
    model: z.string().nullable().exactOptional(),
    thinking: z.boolean().nullable().exactOptional(),
    sampling: samplingPatchSchema.nullable().exactOptional(),
    maxTokens: maxTokensSchema.nullable().exactOptional(),
    project: z.string().nullable().exactOptional(),
    archived: z.boolean().exactOptional(),
    private: z.boolean().exactOptional(),
  })
  .refine(
    changes => Object.keys(changes).length > 0,
    'say what to change: title, agent, council, policy, model, thinking, sampling, maxTokens, project, archived or private',
  )

const sessionsQuery: z.ZodType<Partial<SessionQuery>> = z.object({
  query: z.string().max(500).exactOptional(),
  project: z.string().exactOptional(),
  parent: z.string().exactOptional(),
  family: z.string().exactOptional(),
  archived: yesOrNo.exactOptional(),
  cursor: z.string().exactOptional(),
  limit: upTo(200).exactOptional(),
})

/** From nothing but the settings up to everything; the session knows where that ends. */
const forked: z.ZodType<{ readonly at: number; readonly redo?: number }> = z.strictObject({
  at: z.int().min(0),
  redo: z.int().min(1).exactOptional(),
})

const marked: z.ZodType<{ readonly seq: number; readonly mark: Mark | null; readonly reach?: Reach }> = z.strictObject({
  seq: z.int().min(1),
  mark: z.enum(['pin', 'exclude', 'removed']).nullable(),
  reach: z.enum(['session', 'project', 'everywhere']).exactOptional(),
})

type Needs = {
  readonly engine: Pick<Engine, 'open' | 'sessions' | 'session' | 'change' | 'remove' | 'fork' | 'title' | 'mark'>
}

export const sessionRoutes = ({ engine }: Needs): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/sessions',
    operationId: 'openSession',
    summary: 'Open a session',
    body: newSession,
    answers: [jsonRouteAnswer(201, session, 'The session')],
    problems: { 422: 'The model is known not to take a setting' },
    handle: ({ body }) => engine.open(body),
  }),
  route({
    method: 'get',
    path: '/api/sessions',
    operationId: 'listSessions',
    summary: 'List sessions, newest first, or search titles and messages',
    query: sessionsQuery,
    answers: [jsonRouteAnswer(200, sessionPage, 'A page of sessions')],
    handle: ({ query }) => engine.sessions({ limit: PAGE, ...query }),
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id',
    operationId: 'getSession',
    summary: 'Show a session',
    params: { id: sessionId },
    answers: [jsonRouteAnswer(200, session, 'The session')],
    handle: ({ params: { id } }) => engine.session(id),
  }),
  route({
    method: 'patch',
    path: '/api/sessions/:id',
    operationId: 'changeSession',
    summary:
      'Rename, archive, make private, change the agent, council, policy, model, thinking, sampling, reply limit or project',
    params: { id: sessionId },
    body: sessionChange,
    answers: [jsonRouteAnswer(200, session, 'The session')],
    problems: { 422: 'The model is known not to take a setting' },
    handle: ({ params: { id }, body }) => engine.change(id, body),
  }),
  route({
    method: 'delete',
    path: '/api/sessions/:id',
    operationId: 'deleteSession',
    summary: 'Delete for good',
    params: { id: sessionId },
    answers: [noContent('Gone')],
    handle: ({ params: { id } }) => engine.remove(id),
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/fork',
    operationId: 'forkSession',
    summary:
      'Open a session that shares everything up to and including a seq, and what was being said when the message at `redo` came in; it answers nothing by itself',
    params: { id: sessionId },
    body: forked,
    answers: [jsonRouteAnswer(201, session, 'The new session')],
    problems: { 400: 'The session does not reach that far' },
    handle: ({ params: { id }, body: { at, redo } }) => engine.fork(id, at, redo),
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/title',
    operationId: 'nameSession',
    summary: 'Have the model name a session by its first exchange',
    params: { id: sessionId },
    body: nothingSaid,
    answers: [jsonRouteAnswer(202, turns, 'The turn that was started')],
    problems: { 409: 'It has a title, one is being made, or nothing was answered yet' },
    handle: async ({ params: { id } }) => {
      const turn = await engine.title(id)
      return turn.ok ? ok({ turns: [turn.value] }) : turn
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/marks',
    operationId: 'markMessage',
    summary: 'Pin a message into, or keep it out of, every context from the next turn on; a pin may count in other chats, too',
    params: { id: sessionId },
    body: marked,
    answers: [jsonRouteAnswer(200, done, 'Marked')],
    problems: { 409: 'A pin of a council’s or a private chat counts in no other' },
    handle: async ({ params: { id }, body: { seq, mark, reach } }) => {
      const marking = await engine.mark(id, seq, mark, reach)
      return marking.ok ? ok({}) : marking
    },
  }),
]
