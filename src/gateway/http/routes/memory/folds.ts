/** Routes of folds: list what was summarized, summarize now, edit a summary, have it made anew, or remove it. */
import { z } from 'zod'
import type { Engine, Fold, FoldBegun, FoldWish } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import type { TurnId } from '../../../../model/ids.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { type HttpExchange, jsonRouteAnswer, noContent, type Route, route } from '../../route.ts'
import { seq, sessionId } from '../../schemas/fields.ts'
import { type Schema, schema, text } from '../../schemas/schema.ts'

const maker = z.enum(['model', 'extract'])
const model = z.string().min(1).max(300)

const ONE_MAKER = 'no model is asked for literal sentences; leave out model, or by'
const asksOneMaker = ({ by, model: asked }: Pick<FoldWish, 'by' | 'model'>): boolean => by !== 'extract' || asked === undefined

const foldWish: z.ZodType<FoldWish> = z
  .strictObject({
    from: z.int().min(1).exactOptional(),
    to: z.int().min(1).exactOptional(),
    by: maker.exactOptional(),
    model: model.exactOptional(),
    voice: z.string().min(1).max(200).exactOptional(),
  })
  .refine(({ from = 1, to = from }) => from <= to, { path: ['to'], message: 'must not be before from' })
  .refine(wish => asksOneMaker(wish), { path: ['model'], message: ONE_MAKER })

type FoldChange = Pick<FoldWish, 'by' | 'model'> & { readonly text?: string; readonly redo?: true }

const foldChange: z.ZodType<FoldChange> = z
  .strictObject({
    text: z
      .string()
      .refine(given => given.trim() !== '', 'must not be empty; DELETE removes a summary')
      .exactOptional(),
    redo: z.literal(true).exactOptional(),
    by: maker.exactOptional(),
    model: model.exactOptional(),
  })
  .refine(({ text: given, redo }) => (given === undefined) !== (redo === undefined), 'say either text, or redo: true')
  .refine(({ redo, by, model: asked }) => redo === true || (by === undefined && asked === undefined), {
    path: ['redo'],
    message: 'by and model belong to redo: true',
  })
  .refine(wish => asksOneMaker(wish), { path: ['model'], message: ONE_MAKER })

const fold: Schema<Fold> = schema('Fold', () =>
  z.object({
    seq: z.int(),
    at: z.string(),
    from: z.int(),
    to: z.int(),
    text: z.string(),
    by: z.enum(['model', 'extract', 'person']),
    tokens: z.number(),
    counts: z.boolean(),
    voice: z.string().exactOptional(),
    replaces: z.int().exactOptional(),
    asked: z.literal(true).exactOptional(),
    turn: text<TurnId>().exactOptional(),
    marksThrough: z.int().exactOptional(),
    messages: z.int().exactOptional(),
    folded: z.int().exactOptional(),
    left: z.array(z.string()).exactOptional(),
  }),
)

const folds: Schema<{ readonly items: readonly Fold[] }> = schema('FoldList', () => z.object({ items: z.array(fold()) }))

const foldTurn: Schema<{ readonly turn: TurnId }> = schema('FoldTurn', () => z.object({ turn: text<TurnId>() }))

type Needs = { readonly engine: Pick<Engine, 'folds' | 'fold' | 'editFold' | 'redoFold' | 'removeFold'> }

export const foldRoutes = ({ engine }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/sessions/:id/folds',
    operationId: 'listFolds',
    summary: 'The summaries of a session, oldest first, also those that were replaced or removed',
    params: { id: sessionId },
    answers: [jsonRouteAnswer(200, folds, 'Summaries')],
    handle: async ({ params: { id } }) => {
      const listed = await engine.folds(id)
      return listed.ok ? ok({ items: listed.value }) : listed
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/folds',
    operationId: 'foldSession',
    summary: 'Summarize a stretch of whole turns now; the next request begins behind it',
    params: { id: sessionId },
    body: foldWish,
    answers: [
      jsonRouteAnswer(201, fold, 'The summary, taken from literal sentences'),
      jsonRouteAnswer(202, foldTurn, 'The turn in which a model is asked for it'),
    ],
    problems: { 400: 'The stretch is not one of whole turns', 409: 'There is nothing to summarize, or a summary is being made' },
    handle: async ({ params: { id }, body, c }) => begun(c, await engine.fold(id, body)),
  }),
  route({
    method: 'patch',
    path: '/api/sessions/:id/folds/:seq',
    operationId: 'changeFold',
    summary: 'Edit a summary, or have it made anew, also by another model',
    params: { id: sessionId, seq },
    body: foldChange,
    answers: [
      jsonRouteAnswer(200, fold, 'The summary that replaces it'),
      jsonRouteAnswer(202, foldTurn, 'The turn in which a model is asked for it'),
    ],
    problems: { 404: 'There is no such summary', 409: 'It was replaced or removed already, or a summary is being made' },
    handle: async ({ params, body, c }) => {
      const { text: words, redo: _, ...wish } = body
      if (words !== undefined) return engine.editFold(params.id, params.seq, words)
      return begun(c, await engine.redoFold(params.id, params.seq, wish))
    },
  }),
  route({
    method: 'delete',
    path: '/api/sessions/:id/folds/:seq',
    operationId: 'removeFold',
    summary: 'Remove a summary; the messages it stood for are kept',
    params: { id: sessionId, seq },
    answers: [noContent('Gone')],
    problems: { 404: 'There is no such summary', 409: 'It was replaced or removed already' },
    handle: ({ params }) => engine.removeFold(params.id, params.seq),
  }),
]

/** A summary that is there is the answer; one that a model is asked for has only a turn yet. */
function begun(c: HttpExchange, made: Result<FoldBegun, Fault>): Result<Fold | Response, Fault> {
  if (!made.ok) return made
  const { fold: done, turn } = made.value
  if (done !== undefined) return ok(done)
  return turn === undefined ? err(fault('bug', 'a summary began without a turn')) : ok(c.json({ turn }, 202))
}
