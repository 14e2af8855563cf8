// Reads and checks councils.json.
import { z } from 'zod'
import { whyRefused } from '../../context/bounds.ts'
import type { CatalogSetting } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Advisor, type Council, SYNTHESIS_MODES } from '../../model/settings/council.ts'
import { nameListSchema } from '../../model/settings/name-list.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { maxTokensSchema, samplingSchema } from '../../model/settings/sampling-schema.ts'
import { slugOf } from '../../model/settings/slug.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { color } from './agents-file.ts'
import { withColors } from './colors.ts'
import { complaints } from './complaint.ts'
import { whyNoModel, whyNoPrice, whyNoRoom, whyNotSampled } from './models.ts'
import { whyNoName } from './policies.ts'

/** The settings that an advisor may name. */
export type CouncilsSetting = {
  /** The model of advisors that name none. */
  readonly model: string
  readonly policies: readonly Policy[]
  readonly catalog: CatalogSetting
  /** Whether every model needs a price. */
  readonly isBudgeted: boolean
}

/** An advisor as people write it: it may have no color, and one that is sent instead of stored may have no id. */
export type WrittenAdvisor = Omit<Advisor, 'id' | 'color'> & { readonly id?: string; readonly color?: string }

type WrittenCouncil = Omit<Council, 'key' | 'advisors'> & { readonly advisors: readonly WrittenAdvisor[] }

const MOST_ADVISORS = 24

const line = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(80, 'is too long; at most 80 characters')
  .refine(given => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(given), 'must be one line; take the line break out')

const description = z.string().trim().min(1, 'must not be empty').max(4000, 'is too long; at most 4000 characters')

const advisorShape = {
  name: line,
  description,
  color: color.exactOptional(),
  model: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  active: z.boolean().default(true),
  group: line.exactOptional(),
  house: z.boolean().exactOptional(),
  thinking: z.boolean().exactOptional(),
  sampling: samplingSchema.exactOptional(),
  maxTokens: maxTokensSchema.exactOptional(),
  tools: nameListSchema.exactOptional(),
  skills: nameListSchema.exactOptional(),
}

const keptAdvisor = z.strictObject({ id: z.string(), ...advisorShape })
const sentAdvisor = z.strictObject({ id: z.string().exactOptional(), ...advisorShape })

const several = <One extends z.ZodType>(advisor: One): z.ZodArray<One> =>
  z
    .array(advisor)
    .min(1, 'is empty; name at least one advisor')
    .max(MOST_ADVISORS, `has too many; at most ${MOST_ADVISORS} advisors`)

const councilShape = {
  name: line,
  references: z.enum(['last-round', 'none']).default('last-round'),
  early: z.strictObject({ turns: z.int().min(0).max(50) }).default({ turns: 3 }),
  synthesis: z.enum(SYNTHESIS_MODES).exactOptional(),
}

const fileSchema: z.ZodType<{ readonly councils: Readonly<Record<string, WrittenCouncil>> }, unknown> = z.strictObject({
  councils: z.record(z.string(), z.strictObject({ ...councilShape, advisors: several(keptAdvisor) })),
})

/** A council as it is sent, without its key. An advisor without an id is new. */
export const sentCouncil: z.ZodType<WrittenCouncil, unknown> = z.strictObject({
  ...councilShape,
  advisors: several(sentAdvisor),
})

/** Advisors as they are exported and imported. */
export const sentAdvisors: z.ZodType<{ readonly advisors: readonly WrittenAdvisor[] }, unknown> = z.strictObject({
  advisors: several(sentAdvisor),
})

/** Reads councils from the text of `councils.json`, or returns everything that is wrong with it, one line each. */
export function parseCouncils(text: string, setting: CouncilsSetting): Result<readonly Council[], Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  const parsed = parsedBy(fileSchema, file.value)
  if (!parsed.ok) return parsed
  const all = Object.entries(parsed.value.councils)
  const wrong = all.flatMap(([key, council]) => [
    ...at(`councils.${key}`, whyNoName(key)),
    ...contradictions(council.advisors, setting, `councils.${key}.advisors`),
  ])
  if (wrong.length > 0) return err(fault('invalid', wrong.join('\n')))
  return ok(all.map(([key, council]) => councilOf(key, council)))
}

/** Checks one whole council that was sent, or returns everything that is wrong with it, one line each. */
export function parseCouncil(key: string, body: unknown, setting: CouncilsSetting): Result<Council, Fault> {
  const parsed = parsedBy(sentCouncil, body)
  if (!parsed.ok) return parsed
  const wrong = [...at('key', whyNoName(key)), ...contradictions(parsed.value.advisors, setting, 'advisors')]
  return wrong.length > 0 ? err(fault('invalid', wrong.join('\n'))) : ok(councilOf(key, parsed.value))
}

/** Checks advisors that were sent, unchanged, or returns everything that is wrong with them, one line each. */
export function parseAdvisors(body: unknown, setting: CouncilsSetting): Result<readonly WrittenAdvisor[], Fault> {
  const parsed = parsedBy(sentAdvisors, body)
  if (!parsed.ok) return parsed
  const wrong = contradictions(parsed.value.advisors, setting, 'advisors')
  return wrong.length > 0 ? err(fault('invalid', wrong.join('\n'))) : ok(parsed.value.advisors)
}

/** Gives ids and colors to the advisors without. */
export function completed(advisors: readonly WrittenAdvisor[]): readonly Advisor[] {
  const taken = advisors.flatMap(({ id }) => id ?? [])
  return withColors(advisors).map(({ id: given, name, description, color, ...rest }) => {
    const id = given ?? advisorId(name, taken)
    if (given === undefined) taken.push(id)
    return { id, name, description, color, ...rest }
  })
}

function councilOf(key: string, { name, advisors, ...rest }: WrittenCouncil): Council {
  return { key, name, advisors: completed(advisors), ...rest }
}

function parsedBy<Value>(schema: z.ZodType<Value, unknown>, value: unknown): Result<Value, Fault> {
  const parsed = schema.safeParse(value)
  return parsed.success ? ok(parsed.data) : err(fault('invalid', complaints(schema, value, parsed.error).join('\n')))
}

/** Combinations that could not work although each key is valid. */
function contradictions(advisors: readonly WrittenAdvisor[], setting: CouncilsSetting, place: string): string[] {
  const { policies, catalog, isBudgeted } = setting
  return advisors.flatMap((advisor, index) => {
    const { id, model, policy, maxTokens } = advisor
    const here = `${place}.${index}`
    const asked = model ?? setting.model
    const unfit = whyNotSampled(advisor, asked, catalog)
    const first = advisors.findIndex(other => other.id === id)
    return [
      ...(id === undefined ? [] : at(`${here}.id`, whyNoName(id))),
      ...(id === undefined || first === index
        ? []
        : [`${here}.id: "${id}" is the id of ${place}.${first} too; ids tell advisors apart, names need not`]),
      ...(model === undefined
        ? []
        : at(`${here}.model`, whyNoModel(model, catalog) ?? (isBudgeted ? whyNoPrice(model, catalog) : undefined))),
      ...(policy === undefined ? [] : at(`${here}.policy`, whyNoPolicy(policy, policies))),
      ...(unfit === undefined ? [] : [`${here}.sampling.${unfit.key}: ${unfit.why}`]),
      ...(maxTokens === undefined ? [] : at(`${here}.maxTokens`, whyNoRoom(maxTokens, asked, catalog))),
    ]
  })
}

/** Under any policy an advisor sees only its own past, so the policy must still work with that. */
function whyNoPolicy(name: string, policies: readonly Policy[]): string | undefined {
  const policy = policies.find(each => each.name === name)
  if (policy === undefined) return `there is no "${name}"; known: ${policies.map(each => each.name).join(', ')}`
  return whyRefused({ ...policy, view: 'own' })
}

const at = (path: string, why: string | undefined): string[] => (why === undefined ? [] : [`${path}: ${why}`])

/** Makes an id from a name in any script, different from all taken ones: `Pema Chödrön` becomes `pema-chodron`. */
function advisorId(name: string, taken: readonly string[]): string {
  const slug = slugOf(name)
  const base = whyNoName(slug) === undefined ? slug : ['advisor', slug].filter(part => part !== '').join('-')
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}
