// What recall adds to the bill, beside the full history with caching: node bench/recall-price.ts [--quick] [file of recordings]
import { presets } from '../src/context/presets.ts'
import { LEAST_CACHED_TOKENS } from '../src/context/receipt/billing.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import { tokensOf } from './billing.ts'
import { markdown } from './measure.ts'
import { type Priced, priced, sumOf } from './price/priced.ts'
import { type AskedChat, askedAlong, type PriceSet, priceSets } from './price/sets.ts'
import { type MemoryPart, withPart } from './remembering.ts'
import { rememberingMeasure } from './traces/run.ts'

type Row = {
  readonly set: string
  readonly budget: number
  readonly policy: string
  readonly recalls: boolean
  /** Billed units ÷ the full history's: of all, and of the dearest conversation. */
  readonly ofFull: number
  readonly most: number
  readonly sums: Priced
}
type GateRow = {
  readonly least: number
  readonly budget: number
  readonly ofFull: number
  readonly most: number
  readonly sums: Priced
}

const quick = process.argv.includes('--quick')
const given = process.argv.slice(2).find(each => !each.startsWith('--'))
const measure = rememberingMeasure()
const FULL: Policy = withPart(presets.full, 'none')
/** What the engine has for its gate, and what it could have. */
const MATCHES = quick ? [2, 6] : [1, 2, 3, 4, 6, 8, 12]
const GATE_BUDGETS = quick ? [2000] : [4000, 8000]

const asked = askedAlong(quick)
const rows: Row[] = []
for (const set of priceSets(quick, given)) rows.push(...(await rowsOf(set)))
const gate = await gateRows()
/** Sets that recall makes dearer than the full history. Below the least prefix nothing is cached, so nothing is compared there. */
const dearer = rows.filter(({ recalls, ofFull, budget }, index) => {
  const without = rows[index - 1]?.ofFull ?? 0
  return recalls && budget >= LEAST_CACHED_TOKENS && ofFull > 1 && ofFull > without
})
print()
if (dearer.length > 0) process.exitCode = 1

async function pricesOf(all: readonly AskedChat[], policy: Policy, leastMatch?: number): Promise<readonly Priced[]> {
  const found: Priced[] = []
  const by = { policy, ...(leastMatch === undefined ? {} : { leastMatch }) }
  for (const { conversation, evidence } of all) found.push(await priced(conversation, by, measure, evidence))
  return found
}

function ratiosOf(own: readonly Priced[], base: readonly Priced[]): Pick<Row, 'ofFull' | 'most' | 'sums'> {
  const ratios = own.map(({ units }, index) => units / (base[index]?.units ?? Number.NaN))
  return { sums: sumOf(own), ofFull: sumOf(own).units / sumOf(base).units, most: Math.max(...ratios) }
}

function bounded(name: 'steady' | 'full', tokens: number, part: MemoryPart): Policy {
  const policy = withPart(presets[name], part)
  return { ...policy, budget: { ...policy.budget, tokens } }
}

async function rowsOf({ name, asked: all, budgets }: PriceSet): Promise<readonly Row[]> {
  const base = await pricesOf(all, FULL)
  const found: Row[] = []
  for (const budget of budgets)
    for (const policy of ['steady', 'full'] as const)
      for (const recalls of [false, true]) {
        const own = await pricesOf(all, bounded(policy, budget, recalls ? 'recall' : 'none'))
        found.push({ set: name, budget, policy, recalls, ...ratiosOf(own, base) })
      }
  return found
}

async function gateRows(): Promise<readonly GateRow[]> {
  const base = await pricesOf(asked, FULL)
  const found: GateRow[] = []
  for (const budget of GATE_BUDGETS)
    for (const least of MATCHES)
      found.push({ least, budget, ...ratiosOf(await pricesOf(asked, bounded('steady', budget, 'recall'), least), base) })
  return found
}

function print(): void {
  const command = ['node bench/recall-price.ts', ...(quick ? ['--quick'] : [])].join(' ')
  console.log(`recall-price · ${command}\n`)
  for (const [set, own] of Map.groupBy(rows, row => row.set)) console.log(`${set}\n\n${tableOf(own).join('\n')}\n`)
  console.log(`how well a message must match to be quoted unasked, under steady\n\n${gateTable().join('\n')}\n`)
  for (const { set, budget, policy, ofFull } of dearer)
    console.log(`dearer than the full history: ${set} at ${budget.toLocaleString('en')}, ${policy}: ${ofFull.toFixed(3)}`)
  console.log(JSON.stringify({ bench: 'recall-price', command, dearer: dearer.length, rows, gate }))
}

function tableOf(own: readonly Row[]): readonly string[] {
  const head = [
    '',
    '÷ full, cached',
    'dearest',
    'cached',
    'ids visible',
    'evidence',
    'tokens quoted a turn',
    'turns: quoted',
    'look back',
    'narrowed',
  ]
  return markdown(
    head,
    own.map(({ budget, policy, recalls, ofFull, most, sums }) => [
      `${policy}${recalls ? ' with recall' : ''}, ${budget.toLocaleString('en')}`,
      ofFull.toFixed(2),
      most.toFixed(2),
      percent(sums.bill.read, tokensOf(sums.bill)),
      percent(sums.visible, sums.used),
      percent(sums.evidenceShown, sums.evidence),
      recalls ? (sums.quotedTokens / sums.turns).toFixed(0) : '',
      recalls ? `${sums.quoted} of ${sums.turns}` : '',
      recalls ? `${sums.lookedBack}` : '',
      recalls ? `${sums.narrowed}` : '',
    ]),
  )
}

function gateTable(): readonly string[] {
  const head = ['', 'quoted unasked a turn', 'evidence', 'of questions not seen as such', '÷ full, cached', 'dearest']
  return markdown(
    head,
    gate.map(({ least, budget, ofFull, most, sums }) => [
      `M ≥ ${least}, ${budget.toLocaleString('en')}`,
      (sums.unaskedTokens / (sums.turns - sums.lookedBack)).toFixed(0),
      percent(sums.evidenceShown, sums.evidence),
      percent(sums.unaskedEvidenceShown, sums.unaskedEvidence),
      ofFull.toFixed(3),
      most.toFixed(2),
    ]),
  )
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}
