// Declares policies and what belongs to it.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'

type Run = (command: () => Promise<number>) => Promise<void>

export function addPolicyCommands(program: Command, terminal: Terminal, run: Run): void {
  const json = (): Option => new Option('--json', 'for programs')
  const policies = program
    .command('policies')
    .description('list the policies that choose what a model sees, test or compare some')
    .addOption(json())
    // A `--json` after `test` belongs to `test`.
    .enablePositionalOptions()
    .action(options => run(async () => (await import('./policies.ts')).policiesCommand(terminal, options)))
  policies
    .command('test')
    .description('try cases over your own sessions under several policies; no model is asked')
    .argument('<file>', 'JSON with policies and cases; docs/policy.md says how')
    .addOption(json())
    .action((file, options) =>
      run(async () => (await import('../context/policy-tests.ts')).policyTestsCommand(terminal, file, options)),
    )
  policies
    .command('bench')
    .description('compare policies over your own sessions: recall, price, what stays visible; no model is asked')
    .option('--policies <names>', 'these, as in steady,full; all by default', listed)
    .addOption(new Option('--sessions <ids>', 'these; all by default, or those of --pairs').argParser(listed).conflicts('all'))
    .option('--all', 'every session')
    .option('--budgets <tokens>', 'each policy with each of these budgets, as in 1000,2000,4000', budgets)
    .option('--pairs <file>', 'JSON with questions and their evidence; made from the sessions by default')
    .option('--no-memory', 'do not compare policies with a memory to themselves without it')
    .option('--chart <file>', 'also write an SVG of recall over price')
    .addOption(json())
    .action(options => run(async () => (await import('../context/policy-bench.ts')).policyBenchCommand(terminal, options)))
}

const listed = (text: string): readonly string[] => {
  const names = text.split(',').map(name => name.trim())
  if (names.some(name => name === '')) throw new InvalidArgumentError('Write names with commas between them.')
  return [...new Set(names)]
}

const budgets = (text: string): readonly number[] =>
  listed(text).map(each => {
    if (!/^[1-9]\d{0,8}$/.test(each)) throw new InvalidArgumentError('Write whole numbers with commas between them.')
    return Number(each)
  })
