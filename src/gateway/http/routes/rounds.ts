/** Routes of a council's rounds: let advisors answer each other, make a synthesis, and see what it rests on. */
import { z } from 'zod'
import type { Attribution, Engine } from '../../../engine.ts'
import { ok } from '../../../model/result.ts'
import { MOST_ROUNDS, SYNTHESIS_MODES, type SynthesisMode } from '../../../model/settings/council.ts'
import { jsonRouteAnswer, type Route, route } from '../route.ts'
import { sessionId, turnId } from '../schemas/fields.ts'
import { type Schema, schema } from '../schemas/schema.ts'
import { taken, turns } from '../schemas/session.ts'

const exchange: z.ZodType<{ readonly rounds: number }> = z.strictObject({
  rounds: z.int().min(1).max(MOST_ROUNDS).default(1),
})

const synthesis: z.ZodType<{ readonly mode: SynthesisMode; readonly round?: number }> = z.strictObject({
  mode: z.enum(SYNTHESIS_MODES).default('brief'),
  round: z.int().min(1).exactOptional(),
})

const quote = () => z.object({ text: z.string(), isLiteral: z.boolean(), at: z.int().nullable(), length: z.int() })

const sentence = () =>
  z.object({
    text: z.string(),
    heading: z.literal(true).exactOptional(),
    from: z.array(z.object({ voice: z.string(), label: z.string(), seq: z.int(), quote: quote().exactOptional() })),
    unknown: z.array(z.string()).exactOptional(),
    trouble: z.enum(['unattributed', 'unknown-advisor', 'not-literal']).exactOptional(),
  })

const sources: Schema<Attribution> = schema('Sources', () =>
  z.object({
    sentences: z.array(sentence()),
    counts: z.object({
      sentences: z.int(),
      attributed: z.int(),
      unattributed: z.int(),
      unknownAdvisor: z.int(),
      notLiteral: z.int(),
    }),
  }),
)

export const roundRoutes = ({
  engine,
}: {
  readonly engine: Pick<Engine, 'exchange' | 'synthesize' | 'attribution'>
}): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/sessions/:id/rounds',
    operationId: 'startRounds',
    summary: 'Let the advisors answer each other, so many rounds at most',
    params: { id: sessionId },
    body: exchange,
    answers: [jsonRouteAnswer(202, taken, 'Taken: the seq of the first round and its turns')],
    problems: { 400: 'This session has no council', 409: 'A round is still being answered' },
    handle: async ({ params: { id }, body: { rounds } }) => {
      const begun = await engine.exchange(id, rounds)
      return begun.ok ? ok({ seq: begun.value.seq, turns: begun.value.turns }) : begun
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/synthesis',
    operationId: 'synthesize',
    summary: 'Sum up a round: its gist, where advisors agree and differ, or a memo to decide by',
    params: { id: sessionId },
    body: synthesis,
    answers: [jsonRouteAnswer(202, turns, 'The turn that was started')],
    problems: {
      400: 'This session has no council',
      409: 'The round is still being answered, or no advisor has answered',
    },
    handle: async ({ params: { id }, body: { mode, round } }) => {
      const turn = await engine.synthesize(id, mode, round)
      return turn.ok ? ok({ turns: [turn.value] }) : turn
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/turns/:turn/sources',
    operationId: 'getSources',
    summary: 'What each sentence of a synthesis rests on, and whether its quotes are literal',
    params: { id: sessionId, turn: turnId },
    answers: [jsonRouteAnswer(200, sources, 'The sentences with their sources')],
    problems: { 404: 'That turn is no synthesis' },
    handle: ({ params: { id, turn } }) => engine.attribution(id, turn),
  }),
]
