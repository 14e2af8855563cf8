// The policies that the settings name.
import { whyRefused } from '../../context/bounds.ts'
import { presets } from '../../context/presets.ts'
import type { PolicySetting } from '../../model/settings/config.ts'
import type { Policy } from '../../model/settings/policy.ts'

/** A name that people give in a file: safe in a URL, a path and a file name. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/
const RESERVED: ReadonlySet<string> = new Set(['constructor', 'prototype'])

/** Why a name is not allowed, or undefined. */
export function whyNoName(name: string): string | undefined {
  if (RESERVED.has(name)) return 'this name is reserved; choose another'
  // JavaScript sorts number-like keys first, and the first agent is the default one.
  if (/^\d+$/.test(name)) return 'digits alone would lose their place in the file; add a letter'
  return NAME.test(name)
    ? undefined
    : 'a name has lowercase letters, digits, "-" and "_", begins with a letter or a digit, and is not longer than 64'
}

/** The policy that another one extends by default. */
const ORIGIN = 'steady'

/** No setting can have this name, so it is never mistaken for one that is in use. */
const UNSAVED = '~unsaved'

/** A policy that no setting has, worked out from those that are known; or why it cannot work, with the path of the field. */
export function unsavedPolicy(setting: PolicySetting, known: readonly Policy[]): Policy | string {
  const base = known.find(({ name }) => name === (setting.extends ?? ORIGIN))
  if (base === undefined) return `extends: there is no "${setting.extends}"; known: ${known.map(({ name }) => name).join(', ')}`
  const policy = merged(base, setting, UNSAVED)
  return whyRefused(policy) ?? policy
}

/** Resolves the policies in the settings, or returns everything that is wrong with them, one line each. */
export function policiesOf(
  settings: Readonly<Record<string, PolicySetting>>,
  names: readonly string[] = Object.keys(settings),
): {
  readonly policies: readonly Policy[]
  readonly wrong: readonly string[]
} {
  const worked = names.map(name => workedOut(settings, name))
  return {
    policies: worked.filter(each => typeof each !== 'string'),
    wrong: worked.filter(each => typeof each === 'string'),
  }
}

function workedOut(settings: Readonly<Record<string, PolicySetting>>, name: string): Policy | string {
  const unnamed = whyNoName(name)
  if (unnamed !== undefined) return `policies.${name}: ${unnamed}`
  if (Object.hasOwn(presets, name)) return `policies.${name}: a preset has this name; choose another, and let it extend "${name}"`
  const policy = extended(settings, name, [])
  if (typeof policy === 'string') return policy
  const why = whyRefused(policy)
  if (why === undefined) return policy
  return `policies.${name}${/^(window|budget|fold)\b/.test(why) ? '.' : ': '}${why}`
}

function extended(settings: Readonly<Record<string, PolicySetting>>, name: string, over: readonly string[]): Policy | string {
  const preset = Object.values(presets).find(each => each.name === name)
  if (preset !== undefined) return preset
  const heir = over.at(-1)
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined
  if (setting === undefined) {
    const known = [...Object.keys(presets), ...Object.keys(settings)].filter(each => !over.includes(each))
    return `policies.${heir}.extends: there is no "${name}"; known: ${known.join(', ')}`
  }
  if (over.includes(name))
    return `policies.${over[0]}.extends: ${[...over, name].join(' → ')} goes round in a circle; let one of them extend a preset`
  const base = extended(settings, setting.extends ?? ORIGIN, [...over, name])
  return typeof base === 'string' ? base : merged(base, setting, name)
}

function merged(base: Policy, { extends: _, budget, ...own }: PolicySetting, name: string): Policy {
  // A transcript has no place for summaries, so it does not inherit how they are made.
  const inherited = own.render === 'transcript' ? { ...base, fold: null } : base
  return { ...inherited, ...own, budget: { ...base.budget, ...budget }, name, version: 1 }
}
