// What each policy remembers of the chats in this repository, and at what price: node bench/policies.ts [--quick] [--chart file]
import { writeFileSync } from 'node:fs'
import { contenderName, pointsOf, svgChart } from '../src/gateway/cli/context/bench-chart.ts'
import type { BenchRow } from '../src/index.ts'
import { markdown } from './measure.ts'
import { benchedPolicies } from './policies/benched.ts'

const quick = process.argv.includes('--quick')
const place = process.argv.indexOf('--chart')
const chart = place === -1 ? undefined : process.argv[place + 1]

/** All with the same budget, that of the other benchmarks of prices. */
const BUDGET = quick ? 2000 : 8000

const report = await benchedPolicies({ budgets: [BUDGET], ...(quick ? { only: ['german'] } : {}) })
print()
if (chart !== undefined) writeFileSync(chart, svgChart(pointsOf(report.rows.map(row => ({ ...row, budget: null })))))

function print(): void {
  const command = ['node bench/policies.ts', ...(quick ? ['--quick'] : [])].join(' ')
  console.log(`policies · ${command} · ${report.questions} questions in ${report.sessions} chats\n`)
  console.log(`${BUDGET.toLocaleString('en')} tokens\n\n${tableOf(report.rows).join('\n')}\n`)
  const { questions, sessions, rows } = report
  console.log(JSON.stringify({ bench: 'policies', command, questions, sessions, rows }))
}

function tableOf(rows: readonly BenchRow[]): readonly string[] {
  const best = new Map(pointsOf(rows).map(({ isBest }, index) => [rows[index], isBest]))
  const head = ['', 'recall', 'price', 'of it folds', 'tokens', 'cached', 'ids visible', 'folds', 'best for its price']
  return markdown(
    head,
    rows.map(row => [
      contenderName(row),
      row.recall === null ? '–' : percent(row.recall, 1),
      row.units.toLocaleString('en'),
      row.foldUnits === 0 ? '' : row.foldUnits.toLocaleString('en'),
      row.tokens.toLocaleString('en'),
      percent(row.cached, 1),
      percent(row.visible, row.used),
      row.folds === 0 ? '' : `${row.folds}`,
      best.get(row) === true ? 'yes' : '',
    ]),
  )
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}
