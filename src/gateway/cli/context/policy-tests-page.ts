// Prints the results of policy tests.
import type { PolicyCase } from '../../workspace/policy-tests-file.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import { counted, figure, fitted, percent } from '../output/phrase.ts'

/** The result of a case under one policy. It passed if there are no reasons. */
export type PolicyResult = {
  readonly policy: string
  /** Null if there is no such request. */
  readonly tokens: number | null
  /** Null if the case does not check the cache, or there is no earlier request. */
  readonly cached: number | null
  readonly reasons: readonly string[]
  /** What is worth knowing even if it passed. */
  readonly remarks: readonly string[]
}

export type CaseResult = {
  readonly name: string
  readonly session: string
  readonly voice: string
  readonly turn: number
  readonly results: readonly PolicyResult[]
}

/** The name of a case that has none: its turn and what it expects. */
export function caseName(test: PolicyCase, { voice, number }: { readonly voice: string; readonly number: number }): string {
  const { contains, omits, doesNotSee, atMostTokens, cachedAtLeast, recalls } = test
  const expected = [
    ...contains.map(text => `contains "${text}"`),
    ...omits.map(text => `omits "${text}"`),
    ...(atMostTokens === undefined ? [] : [`at most ${figure(atMostTokens)} tokens`]),
    ...(cachedAtLeast === undefined ? [] : [`at least ${percent(cachedAtLeast)} cached`]),
    ...doesNotSee.map(other => `does not see ${other}`),
    ...(recalls === undefined ? [] : [`recalls seq ${recalls.evidence.join(', ')} for "${recalls.question}"`]),
  ]
  return `${test.voice === undefined ? '' : `${voice}, `}turn ${number}: ${expected.join(', ')}`
}

/** In less width than this, cases could not be told apart. */
const LEAST_NAME = 24
const GAP = 2

/** Prints a table if it fits, or else one case below the other. The first reason of a failure follows its case. */
export function policyTestsPage(cases: readonly CaseResult[], columns: number, ink: Ink): readonly string[] {
  const policies = cases[0]?.results.map(({ policy }) => escapeToOneLine(policy)) ?? []
  const widths = policies.map((policy, index) =>
    Math.max(policy.length, ...cases.map(({ results }) => cell(results[index]).length)),
  )
  const room = columns - GAP - widths.reduce((sum, width) => sum + width + GAP, 0)
  const lines = room < LEAST_NAME ? stacked(cases, columns, ink) : tabled(cases, policies, { widths, room, columns }, ink)
  return [...lines, '', summary(cases, policies.length, ink)]
}

const cell = (result: PolicyResult | undefined): string =>
  result === undefined ? '' : `${sign(result)} ${result.tokens === null ? '–' : figure(result.tokens)}`

const sign = ({ reasons }: PolicyResult): string => (reasons.length === 0 ? '✓' : '✗')

function tabled(
  cases: readonly CaseResult[],
  policies: readonly string[],
  { widths, room, columns }: { readonly widths: readonly number[]; readonly room: number; readonly columns: number },
  ink: Ink,
): readonly string[] {
  const name = Math.min(room, Math.max(...cases.map(each => escapeToOneLine(each.name).length)))
  const row = (first: string, cells: readonly string[]): string =>
    [`${' '.repeat(GAP)}${fitted(escapeToOneLine(first), name).padEnd(name)}`, ...cells].join(' '.repeat(GAP)).trimEnd()
  const padded = (text: string, index: number): string => text.padEnd(widths[index] ?? 0)
  return [
    ink.dim(row('tokens under', policies.map(padded))),
    ...cases.flatMap(({ name: title, results }) => [
      row(
        title,
        results.map((result, index) => inked(result, padded(cell(result), index), ink)),
      ),
      ...results.flatMap(result => reasonLines(result, `${escapeToOneLine(result.policy)} `, columns, ink)),
    ]),
  ]
}

function stacked(cases: readonly CaseResult[], columns: number, ink: Ink): readonly string[] {
  return cases.flatMap(({ name, results }, index) => [
    ...(index === 0 ? [] : ['']),
    ink.bold(fitted(escapeToOneLine(name), columns)),
    ...results.flatMap(result => [
      `  ${inked(result, fitted(`${sign(result)} ${escapeToOneLine(result.policy)}: ${amounts(result)}`, columns - GAP), ink)}`,
      ...reasonLines(result, '', columns, ink),
    ]),
  ])
}

const amounts = ({ tokens, cached }: PolicyResult): string =>
  tokens === null ? 'no request' : `${figure(tokens)} tokens${cached === null ? '' : `, ${percent(cached)} cached`}`

const inked = ({ reasons }: PolicyResult, text: string, ink: Ink): string =>
  reasons.length === 0 ? ink.good(text) : ink.bad(text)

const INDENT = 6

function reasonLines({ reasons, remarks }: PolicyResult, who: string, columns: number, ink: Ink): readonly string[] {
  const [first, ...others] = reasons.length === 0 ? remarks : reasons
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` (and ${figure(others.length)} more)`
  return folded(`${who}${escapeToOneLine(first)}${more}`, columns - INDENT).map(line => ink.dim(`${' '.repeat(INDENT)}${line}`))
}

/** Wraps a text between words. A longer word gets its own line. */
function folded(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function summary(cases: readonly CaseResult[], policies: number, ink: Ink): string {
  const all = cases.flatMap(({ results }) => results)
  const failed = all.filter(({ reasons }) => reasons.length > 0).length
  const tried = `${counted(cases.length, 'case')} under ${counted(policies, 'policy', 'policies')}`
  return failed === 0 ? ink.good(`${tried}: all pass`) : ink.bad(`${tried}: ${figure(failed)} of ${figure(all.length)} fail`)
}
