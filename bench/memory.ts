// What memory shows and costs in long chats, beside the window alone and the full history: node bench/memory.ts [--quick] [--makers] [file of recordings]
import { presets } from '../src/context/presets.ts'
import type { Policy } from '../src/model/settings/policy.ts'
import { tokensOf } from './billing.ts'
import { markdown } from './measure.ts'
import { type Priced, priced, sumOf } from './price/priced.ts'
import { type PriceSet, priceSets } from './price/sets.ts'
import { withPart } from './remembering.ts'
import { rememberingMeasure } from './traces/run.ts'

type Row = {
  readonly set: string
  readonly budget: number | null
  readonly name: string
  /** Billed units ÷ the full history's: of all, and of the dearest chat. */
  readonly ofFull: number
  readonly most: number
  readonly sums: Priced
}

const quick = process.argv.includes('--quick')
const given = process.argv.slice(2).find(each => !each.startsWith('--'))
const measure = rememberingMeasure()

const isAboutMakers = process.argv.includes('--makers')

/** The window alone, with recall, and with everything. */
const PARTS: readonly Contender[] = [
  { name: 'steady, the window alone', policy: withPart(presets.steady, 'none') },
  { name: 'steady with recall', policy: withPart(presets.steady, 'recall') },
  { name: 'steady with all memory', policy: presets.steady },
]

/** All memory, by who makes summaries, and without a window that follows. */
const MAKERS: readonly Contender[] = [
  ...(['auto', 'model', 'extract'] as const).map(by => ({
    name: `summaries by ${by}`,
    policy: { ...presets.steady, fold: { by, tokens: 'auto' as const } },
  })),
  { name: 'no summaries', policy: { ...presets.steady, fold: null } },
  { name: 'a window that does not follow', policy: { ...presets.steady, window: { kind: 'tokens', low: null, high: null } } },
]

type Contender = { readonly name: string; readonly policy: Policy }

const contenders = isAboutMakers ? MAKERS : PARTS
/** All sets are measured with it. */
const BUDGET = 8000

const rows: Row[] = []
for (const set of priceSets(quick, given)) rows.push(...(await rowsOf(set)))
print()

async function rowsOf({ name: set, asked, budgets }: PriceSet): Promise<readonly Row[]> {
  const pricesBy = async (policy: Policy): Promise<readonly Priced[]> => {
    const found: Priced[] = []
    for (const { conversation, evidence } of asked) found.push(await priced(conversation, { policy }, measure, evidence))
    return found
  }
  const base = await pricesBy(withPart(presets.full, 'none'))
  const rowOf = (name: string, budget: number | null, own: readonly Priced[]): Row => ({
    ...{ set, budget, name, sums: sumOf(own), ofFull: sumOf(own).units / sumOf(base).units },
    most: Math.max(...own.map(({ units }, index) => units / (base[index]?.units ?? Number.NaN))),
  })
  const found = [rowOf('full history with caching', null, base)]
  for (const budget of budgets.filter(each => quick || each === BUDGET))
    for (const { name, policy } of contenders) {
      const own = await pricesBy({ ...policy, budget: { ...policy.budget, tokens: budget } })
      found.push(rowOf(name, budget, own))
      process.stderr.write(`${set}, ${budget}: ${name}\n`)
    }
  return found
}

function print(): void {
  const command = ['node bench/memory.ts', ...(quick ? ['--quick'] : []), ...(isAboutMakers ? ['--makers'] : [])].join(' ')
  console.log(`memory · ${command}\n`)
  for (const [set, own] of Map.groupBy(rows, row => row.set)) console.log(`${set}\n\n${tableOf(own).join('\n')}\n`)
  console.log(JSON.stringify({ bench: 'memory', command, rows }))
}

function tableOf(own: readonly Row[]): readonly string[] {
  const head = [
    '',
    '÷ full, cached',
    'dearest',
    'of it summaries',
    'ids visible',
    'evidence',
    'cached',
    'summaries',
    'tokens written',
    'turns grown',
  ]
  return markdown(
    head,
    own.map(({ budget, name, ofFull, most, sums }) => [
      budget === null ? name : `${name}, ${budget.toLocaleString('en')}`,
      ofFull.toFixed(2),
      most.toFixed(2),
      sums.folds === 0 ? '' : ((sums.foldUnits / sums.units) * ofFull).toFixed(2),
      percent(sums.visible, sums.used),
      percent(sums.evidenceShown, sums.evidence),
      percent(sums.bill.read, tokensOf(sums.bill)),
      sums.folds === 0 ? '' : `${sums.folds}`,
      sums.foldTokens === 0 ? '' : sums.foldTokens.toLocaleString('en'),
      sums.grown === 0 ? '' : `${sums.grown} of ${sums.turns}`,
    ]),
  )
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}
