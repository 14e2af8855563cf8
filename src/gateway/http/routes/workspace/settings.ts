/** Routes that show the settings and change them. */
import { z } from 'zod'
import type { Engine } from '../../../../engine.ts'
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import type { EditableSettings, SettingsPatch } from '../../../settings/edit-settings.ts'
import type { SettingTree } from '../../../settings/settings-tree.ts'
import { isRecord } from '../../../variables.ts'
import { problemResponse } from '../../problem.ts'
import { jsonRouteAnswer, type Route, route } from '../../route.ts'
import { describedAs, type Schema, schema } from '../../schemas/schema.ts'
import { onOneLine } from '../../workspace-body.ts'

const tree: Schema<SettingTree> = schema('Settings', () => z.record(z.string(), z.unknown()) as unknown as z.ZodType<SettingTree>)

/** Any object, with every key it has: a schema of records would drop `__proto__` silently. */
const merge = describedAs(z.unknown().refine(isRecord, 'expected an object'), () =>
  z.record(z.string(), z.unknown()),
) as unknown as z.ZodType<SettingsPatch>

type Needs = {
  readonly engine: Pick<Engine, 'refreshEquipment'>
  readonly editable: EditableSettings
}

export const settingsRoutes = ({ engine, editable }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/settings',
    operationId: 'getSettings',
    summary: 'Every setting with its value, where it comes from, and whether it can be changed here. Secrets are hidden',
    problems: { 409: 'There is no workspace' },
    answers: [jsonRouteAnswer(200, tree, 'The settings')],
    handle: async () => editable.read(),
  }),
  route({
    method: 'patch',
    path: '/api/settings',
    operationId: 'changeSettings',
    ownerOnly: true,
    summary: 'Change settings by a JSON merge patch: in turnwise.json, whose comments stay, and from the next turn on',
    body: merge,
    problems: {
      409: 'There is no workspace, or turnwise.json cannot be edited just now',
      422: 'A value is wrong or cannot be changed here; the detail begins with its key',
    },
    answers: [jsonRouteAnswer(200, tree, 'The settings as they are now')],
    handle: async ({ body }) => {
      const patched = await editable.patch(body)
      if (patched.ok) engine.refreshEquipment()
      return unprocessable(patched)
    },
  }),
]

/** The body was readable, only its values were not right: HTTP has a status of its own for that. */
function unprocessable(patched: Result<SettingTree, Fault>): Result<SettingTree | Response, Fault> {
  const told = onOneLine(patched)
  return !told.ok && told.fault.kind === 'invalid' ? ok(problemResponse({ fault: told.fault, status: 422 })) : told
}
