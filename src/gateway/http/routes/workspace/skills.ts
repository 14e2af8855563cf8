/** Routes of the skills and tools that agents may use. */
import { z } from 'zod'
import type { Engine, ListedSkill, ListedTool } from '../../../../engine.ts'
import { ok } from '../../../../model/result.ts'
import { SKILL_MODES } from '../../../../model/settings/config.ts'
import type { ListedDefaults } from '../../../usual.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { type Schema, schema } from '../../schemas/schema.ts'

type SkillList = Partial<ListedDefaults['skills']> & {
  readonly items: readonly ListedSkill[]
  readonly troubles: readonly string[]
}

const skills: Schema<SkillList> = schema('SkillList', () =>
  z.object({
    items: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        full: z.int(),
        listed: z.int(),
        tools: z.array(z.string()),
      }),
    ),
    mode: z.enum(SKILL_MODES).exactOptional(),
    disabled: z.array(z.string()).exactOptional(),
    directories: z.array(z.string()).exactOptional(),
    troubles: z.array(z.string()),
  }),
)

const tools: Schema<{ readonly items: readonly ListedTool[] }> = schema('ToolList', () =>
  z.object({
    items: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        parameters: z.unknown(),
        approval: z.enum(['auto', 'ask', 'never']),
        parallel: z.boolean(),
        idempotent: z.boolean(),
        server: z.string().nullable(),
        rule: z.string().nullable(),
      }),
    ),
  }),
)

type Needs = {
  readonly engine: Pick<Engine, 'skills' | 'equipmentTroubles' | 'tools'>
  readonly usual: (() => ListedDefaults) | undefined
}

export const skillRoutes = ({ engine, usual }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/skills',
    operationId: 'listSkills',
    summary: 'The skills, with their price in tokens in both modes, how they are sent now, and what is wrong with them',
    answers: [jsonRouteAnswer(200, skills, 'The skills')],
    handle: async () => ok({ items: await engine.skills(), ...usual?.().skills, troubles: await engine.equipmentTroubles() }),
  }),
  route({
    method: 'get',
    path: '/api/tools',
    operationId: 'listTools',
    summary: 'What agents may use, and what asks first',
    answers: [jsonRouteAnswer(200, tools, 'The tools')],
    handle: async () => ok({ items: await engine.tools() }),
  }),
]
