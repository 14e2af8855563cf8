// The usage command.
import { type UsageRow, type UsageSum, usageSum } from '../../../model/usage.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { figure, money } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { reading } from '../sessions/reading.ts'

export type UsageOptions = { readonly json?: boolean; readonly since?: string }

/** Prints what was used and what it cost, by day and model. */
export function usageCommand(terminal: Terminal, { json, since }: UsageOptions): Promise<number> {
  return reading(terminal, async engine => {
    const rows = await engine.usage(since === undefined ? {} : { since })
    if (!rows.ok) return complain(terminal, rows.fault.message)
    const total = usageSum(rows.value)
    if (json === true) print(terminal, jsonForTerminal({ items: rows.value, total }))
    else if (rows.value.length === 0)
      print(terminal, since === undefined ? 'Nothing was used yet.' : 'Nothing was used since then.')
    else printPage(terminal, ...usagePage(terminal, rows.value, total))
    return 0
  })
}

const HEAD = ['day (UTC)', 'model', 'input', 'output', 'cache read', 'cache write', 'cost', 'requests']

/** One row for each day and model, and the total. */
export function usagePage({ stdout, environment }: Terminal, rows: readonly UsageRow[], total: UsageSum): readonly string[] {
  const ink = inkFor(stdout, environment)
  const cells = [...rows.map(row => [row.day, escapeToOneLine(row.model), ...countsOf(row)]), ['total', '', ...countsOf(total)]]
  const width = (column: number): number => Math.max(...cells.map(row => row[column]?.length ?? 0))
  const titles = HEAD.map((title, column) => (column < 2 ? title : title.padStart(width(column))))
  const [head = '', ...lines] = aligned([titles, ...cells])
  const last = lines.pop() ?? ''
  return [ink.dim(head), ...lines, ink.bold(last)]
}

const countsOf = ({ input, output, cacheRead, cacheWrite, costUsd, requests }: UsageSum): readonly string[] => [
  ...[input, output, cacheRead, cacheWrite].map(figure),
  costUsd === null ? 'no price' : money(costUsd),
  figure(requests),
]
