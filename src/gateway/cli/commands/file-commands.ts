// Declares export and import.
import { type Command, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'

type Run = (command: () => Promise<number>) => Promise<void>

/** Adds `export` and `import`, which write conversations to files and read them back. */
export function addFileCommands(program: Command, terminal: Terminal, run: Run): void {
  program
    .command('export')
    .description('write a conversation to a file, or print it')
    .argument('[id]', 'the session, or the beginning of its id')
    .option('--all', 'every session, in one archive')
    .option('--format <format>', 'json (our archive, the default), markdown, port42 or html')
    .option('-o, --output <file>', 'where to; without it the file is printed')
    .option('--force', 'write over a file that is there')
    .addOption(new Option('--json', 'for programs: the same as --format json').conflicts('format'))
    .action((id, options) => run(async () => (await import('../sessions/export.ts')).exportCommand(terminal, id, options)))
  program
    .command('import')
    .description('take in the conversations of a file: ours, or of another program')
    .argument('<file>', 'the file, a folder of session files of Port 42, or - for what is piped in')
    .option('--format <format>', 'whose file it is, where that is not found by itself')
    .addOption(new Option('--json', 'for programs'))
    .action((file, options) => run(async () => (await import('../sessions/import.ts')).importCommand(terminal, file, options)))
}
