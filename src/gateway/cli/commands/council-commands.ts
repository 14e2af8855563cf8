// Declares councils and its subcommands.
import { type Command, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'
import type { CouncilAction } from './councils.ts'

type Run = (command: () => Promise<number>) => Promise<void>

const KEY = 'the key of the council'

/** Adds `councils` and its subcommands. They edit the file, which a running gateway reads again. */
export function addCouncilCommands(program: Command, terminal: Terminal, run: Run): void {
  const json = (): Option => new Option('--json', 'for programs')
  const act = (deed: CouncilAction, options: { readonly json?: boolean }): Promise<void> =>
    run(async () => (await import('./councils.ts')).councilsCommand(terminal, deed, options))
  const councils = program
    .command('councils')
    .description('list the councils, show one, or change its advisors')
    .addOption(json())
    // A `--json` after a subcommand belongs to that subcommand.
    .enablePositionalOptions()
    .action(options => act({ verb: 'list' }, options))
  councils
    .command('show')
    .description('print a council and its advisors')
    .argument('<key>', KEY)
    .addOption(json())
    .action((key, options) => act({ verb: 'show', key }, options))
  councils
    .command('export')
    .description('print the advisors of a council as JSON, or write them to a file')
    .argument('<key>', KEY)
    .argument('[file]', 'where to; it must not exist yet')
    .addOption(json())
    .action((key, file, options) => act({ verb: 'export', key, file }, options))
  councils
    .command('import')
    .description('add advisors from such a file; the same id takes the place of the one who had it')
    .argument('<key>', KEY)
    .argument('<file>', 'JSON as "export" prints it')
    .addOption(json())
    .action((key, file, options) => act({ verb: 'import', key, file }, options))
  for (const [verb, description] of [
    ['hide', 'let an advisor answer only when it is named'],
    ['unhide', 'let it answer every message again'],
    ['remove', 'take an advisor out of a council'],
  ] as const)
    councils
      .command(verb)
      .description(description)
      .argument('<key>', KEY)
      .argument('<advisor>', 'its id, or its name')
      .addOption(json())
      .action((key, advisor, options) => act({ verb, key, advisor }, options))
}
