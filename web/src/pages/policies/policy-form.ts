// A policy as the page edits it, and as turnwise.json gets it.
import { presets } from '../../../../src/context/presets.ts'
import type { PolicySetting } from '../../../../src/model/settings/config.ts'
import type { Policy, Window } from '../../../../src/model/settings/policy.ts'
import { isEqualValue } from '../../form/edit.ts'
import type { SettingPatch } from '../../wire/settings-api.ts'
import { mergePatchBetween } from '../settings/setting-tree.ts'

/** What of a policy is edited: everything but its version. */
export type PolicyForm = Omit<Policy, 'version'> & {
  /** The policy that it extends. */
  readonly extends: string
}

export const isPreset = (name: string): boolean => Object.hasOwn(presets, name)

export const policyFormOf = (policy: Policy, setting: PolicySetting | undefined): PolicyForm => {
  const { version: _, ...rest } = policy
  return { ...rest, recall: policy.recall ?? null, fold: policy.fold ?? null, extends: setting?.extends ?? 'steady' }
}

/** The same as the engine has it. */
export const policyFrom = ({ extends: _, ...form }: PolicyForm): Policy => ({ ...form, version: 1 })

/** A preset in which everything that can be off is off: what extends it can turn on, but never has to turn off. */
const PLAINEST = 'recent'

/**
 * The fewest fields that give this policy. Over HTTP null removes a field, so nothing can be turned off that the base has on:
 * then another base is named, which has it off.
 */
export function policySettingOf(form: PolicyForm, known: readonly Policy[]): PolicySetting {
  const base = [form.extends, PLAINEST]
    .flatMap(name => known.find(policy => policy.name === name && name !== form.name) ?? [])
    .find(policy => !turnsOff(policy, form))
  const origin = base ?? presets[PLAINEST]
  const { name: _, extends: __, window, budget, ...fields } = form
  const changed = Object.entries(fields).filter(
    ([key, value]) => value !== null && !isEqualValue(value, origin[key as keyof Policy] ?? null),
  )
  const sums = Object.entries(budget).filter(
    ([key, value]) => value !== null && value !== origin.budget[key as keyof Policy['budget']],
  )
  return {
    extends: origin.name,
    ...Object.fromEntries(changed),
    ...(isEqualValue(window, origin.window) ? {} : { window: withoutNulls(window) }),
    ...(sums.length === 0 ? {} : { budget: Object.fromEntries(sums) }),
  }
}

const turnsOff = (base: Policy, { recall, fold, budget }: PolicyForm): boolean =>
  ((recall ?? null) === null && (base.recall ?? null) !== null) ||
  ((fold ?? null) === null && (base.fold ?? null) !== null) ||
  (budget.tokens === null && base.budget.tokens !== null) ||
  (budget.reserve === null && base.budget.reserve !== null)

/** A window without a number has the same as one with null. */
const withoutNulls = (window: Window): Window =>
  Object.fromEntries(Object.entries(window).filter(([, value]) => value !== null)) as Window

/** The change of the settings that saves a policy under its name, which may be new. */
export function policyPatch(
  form: PolicyForm,
  before: { readonly name: string; readonly settings: Readonly<Record<string, PolicySetting>>; readonly usual: string },
  known: readonly Policy[],
): SettingPatch {
  const wanted = policySettingOf(form, known)
  const isRenamed = form.name !== before.name
  const current = isRenamed ? undefined : before.settings[form.name]
  return {
    policies: {
      ...(isRenamed ? { [before.name]: null } : {}),
      [form.name]: current === undefined ? wanted : mergePatchBetween({ ...current }, { ...wanted }),
    },
    ...(isRenamed && before.usual === before.name ? { policy: form.name } : {}),
  }
}

/** Window kinds with the numbers that they begin with. */
export const WINDOWS: { readonly [Kind in Window['kind']]: Extract<Window, { readonly kind: Kind }> } = {
  tokens: { kind: 'tokens', low: null, high: null, follow: true },
  last: { kind: 'last', messages: 10 },
  'head-tail': { kind: 'head-tail', max: 20, head: 2, recent: 17, noteOver: 10 },
  all: { kind: 'all' },
}

/** A window whose numbers do not contradict each other; the field that was changed counts. */
export function fittedWindow(window: Window, changed: string): Window {
  if (window.kind === 'head-tail') {
    const { max, head, recent } = window
    if (changed === 'max') {
      const kept = Math.min(head, Math.max(0, max - 2))
      return { ...window, head: kept, recent: Math.max(1, Math.min(recent, max - kept - 1)) }
    }
    return { ...window, recent: Math.max(1, recent), max: Math.max(max, head + Math.max(1, recent) + 1) }
  }
  if (window.kind !== 'tokens') return window
  const { low, high } = window
  if (low === null && high === null) return window
  // Bounds with numbers stay as they are.
  const numbers: Window = { kind: 'tokens', low, high }
  if (low === null || high === null || low < high) return numbers
  return changed === 'low' ? { ...numbers, high: low * 2 } : { ...numbers, low: Math.max(1, Math.floor(high / 2)) }
}

/** One text has no place for summaries, and only some windows. */
export function withRender(form: PolicyForm, render: Policy['render']): PolicyForm {
  if (render === 'messages') return { ...form, render }
  const fits = form.window.kind === 'all' || form.window.kind === 'last'
  return { ...form, render, fold: null, window: fits ? form.window : { kind: 'last', messages: 20 } }
}

/** A voice hears the others by quotes only where it does not see them anyway. */
export const withReferences = (form: PolicyForm, references: Policy['references']): PolicyForm => ({
  ...form,
  references,
  view: references === 'last-round' ? 'own' : 'all',
})
