// Reads a file of policy tests.
import { z } from 'zod'
import { presets } from '../../context/presets.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type PolicySetting, policySchema } from '../../model/settings/config.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { complaints } from './complaint.ts'
import { policiesOf } from './policies.ts'

/** One case in a file of policy tests: a moment of the person's own conversation, and what its request must be like. */
export type PolicyCase = {
  readonly name?: string
  /** A session's id, a unique beginning of it, or its title. */
  readonly session: string
  readonly voice?: string
  /** The number of the voice's turn. */
  readonly turn: number | 'last'
} & Expectation

/** What a request must be like. */
export type Expectation = {
  readonly contains: readonly string[]
  readonly omits: readonly string[]
  readonly doesNotSee: readonly string[]
  readonly atMostTokens?: number
  readonly cachedAtLeast?: number
  /** A question that is asked after the turn. Its request has to have these messages, in its window or quoted. */
  readonly recalls?: { readonly question: string; readonly evidence: readonly number[] }
}

export type PolicyTests = {
  /** The names of all policies to try each case with. */
  readonly policies: readonly string[]
  /** The policies that the file defines itself. */
  readonly own: readonly Policy[]
  readonly cases: readonly PolicyCase[]
}

const text = z.string().min(1, 'must not be empty')
const texts = z
  .union([text, z.array(text).min(1, 'has no text in it; give one, or leave it out')])
  .transform(given => (typeof given === 'string' ? [given] : given))
  .default([])

const EXPECTATIONS = ['contains', 'omits', 'doesNotSee', 'atMostTokens', 'cachedAtLeast', 'recalls'] as const

const caseSchema = z
  .strictObject({
    name: text.exactOptional(),
    session: text,
    voice: text.exactOptional(),
    turn: z
      .union([z.int().min(1), z.string().refine(given => given === 'last', 'must be a number from 1, or "last"')])
      .transform((given): number | 'last' => (typeof given === 'number' ? given : 'last'))
      .default('last'),
    contains: texts,
    omits: texts,
    doesNotSee: texts,
    atMostTokens: z.int().min(1).exactOptional(),
    cachedAtLeast: z.number().min(0).max(1, 'must be a share from 0 to 1, as 0.8 for 80 %').exactOptional(),
    recalls: z
      .strictObject({ question: text, evidence: z.array(z.int().min(1)).min(1, 'names no message; give the seq of one') })
      .exactOptional(),
  })
  .refine(
    ({ contains, omits, doesNotSee, atMostTokens, cachedAtLeast, recalls }) =>
      contains.length + omits.length + doesNotSee.length > 0 ||
      [atMostTokens, cachedAtLeast, recalls].some(given => given !== undefined),
    `expects nothing; give one of ${EXPECTATIONS.join(', ')}`,
  )

type Written = { readonly policies: readonly (string | OwnPolicy)[]; readonly cases: readonly PolicyCase[] }
type OwnPolicy = { readonly name: string } & Readonly<Record<string, unknown>>

const fileSchema: z.ZodType<Written, unknown> = z.strictObject({
  policies: z.array(z.union([text, z.looseObject({ name: text })])).min(1, 'names none; give at least one'),
  cases: z.array(caseSchema).min(1, 'has none; write at least one'),
})

/** Reads the policies and cases of a file, or returns everything that is wrong with it, one line each. */
export function parsePolicyTests(content: string, known: readonly Policy[]): Result<PolicyTests, Fault> {
  const json = parseJsonc(content)
  if (!json.ok) return json
  const file = fileSchema.safeParse(json.value)
  if (!file.success) return wrong(complaints(fileSchema, json.value, file.error))
  const { policies, cases } = file.data
  const settings = settingsOf(policies.filter(policy => typeof policy !== 'string'))
  if (!settings.ok) return settings
  const own = ownPolicies(settings.value, known)
  if (!own.ok) return own
  const names = policies.map(policy => (typeof policy === 'string' ? policy : policy.name))
  const all = [...known, ...own.value].map(({ name }) => name)
  const unknown = names.filter(name => !all.includes(name))
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  const lines = [
    ...unknown.map(name => `policies: there is no "${name}"; known: ${all.join(', ')}`),
    ...twice.map(name => `policies: "${name}" stands there twice; keep one`),
  ]
  return lines.length === 0 ? ok({ policies: names, own: own.value, cases }) : wrong(lines)
}

const wrong = (lines: readonly string[]): Result<never, Fault> => err(fault('invalid', lines.join('\n')))

type Settings = Readonly<Record<string, PolicySetting>>

function settingsOf(own: readonly OwnPolicy[]): Result<Settings, Fault> {
  const lines: string[] = []
  const settings: Record<string, PolicySetting> = {}
  for (const { name, ...rest } of own) {
    const setting = policySchema.safeParse(rest)
    if (setting.success) settings[name] = setting.data
    else lines.push(...complaints(policySchema, rest, setting.error).map(line => `policies.${name}.${line}`))
  }
  return lines.length === 0 ? ok(settings) : wrong(lines)
}

/** A policy of the file may extend any other, and never has the name of an existing one: a table could not tell them apart. */
function ownPolicies(settings: Settings, known: readonly Policy[]): Result<readonly Policy[], Fault> {
  const names = Object.keys(settings)
  const taken = names.filter(name => known.some(policy => policy.name === name))
  if (taken.length > 0)
    return wrong(
      taken.map(name => `policies.${name}: there is a policy of this name already; choose another, and let it extend "${name}"`),
    )
  const { policies, wrong: lines } = policiesOf({ ...settings, ...asSettings(known) }, names)
  // Nothing was ever sent under this policy, even if its name is familiar: a request under an older one says nothing about it.
  return lines.length === 0 ? ok(policies.map(policy => ({ ...policy, version: 0 }))) : wrong(lines)
}

const asSettings = (policies: readonly Policy[]): Settings =>
  Object.fromEntries(
    policies.filter(({ name }) => !Object.hasOwn(presets, name)).map(({ name, version: _, ...rest }) => [name, rest]),
  )
