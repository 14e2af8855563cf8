/** Declares the commands around memory: folds, memory and private. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'

type Run = (command: () => Promise<number>) => Promise<void>

const SESSION = 'the session, or the beginning of its id'

export function addMemoryCommands(program: Command, terminal: Terminal, run: Run): void {
  const json = (): Option => new Option('--json', 'for programs')
  program
    .command('folds')
    .description('list the summaries of a session, summarize now, or change a summary')
    .argument('<id>', SESSION)
    .argument('[action]', 'add, edit, redo or remove')
    .argument('[seq]', 'which summary, for edit, redo and remove', seqNumber)
    .option('--text [words]', 'list them with their words; with edit: the new words, which may also be piped in')
    .option('--from <seq>', 'with add: from this message on; by default from where the window begins', seqNumber)
    .option('--to <seq>', 'with add: up to here; by default up to before the last exchange', seqNumber)
    .addOption(new Option('--extract', 'with add and redo: literal sentences, no model is asked').conflicts('model'))
    .option('-m, --model <model>', 'with add and redo: by this model')
    .option('--voice <voice>', 'with add, in a council: as this advisor saw it')
    .addOption(json())
    .action((id, action, seq, options) =>
      run(async () => (await import('./folds.ts')).foldsCommand(terminal, id, action, seq, options)),
    )
  const memory = program
    .command('memory')
    .description('list what is remembered between chats and what it costs, or change that')
    .addOption(json())
    // A `--json` after a subcommand belongs to that subcommand.
    .enablePositionalOptions()
    .action(options => run(async () => (await import('./memory.ts')).memoryCommand(terminal, options)))
  memory
    .command('from')
    .description('say where every chat may look for earlier messages')
    .argument('<where>', 'session, project or everywhere')
    .addOption(json())
    .action((where, options) => run(async () => (await import('./memory.ts')).memoryFromCommand(terminal, where, options)))
  memory
    .command('project')
    .description('let the chats of a project quote each other, or not')
    .argument('<name>', 'the project')
    .argument('<how>', 'on or off')
    .addOption(json())
    .action((name, how, options) =>
      run(async () => (await import('./memory.ts')).memoryProjectCommand(terminal, name, how, options)),
    )
  memory
    .command('forget')
    .description('take a pin off a message, or remove a summary; what was said is kept')
    .argument('<id>', SESSION)
    .argument('<seq>', 'of the message or of the summary', seqNumber)
    .addOption(json())
    .action((id, seq, options) => run(async () => (await import('./memory.ts')).memoryForgetCommand(terminal, id, seq, options)))
  program
    .command('private')
    .description('keep what is said in a session out of all others')
    .argument('<id>', SESSION)
    .argument('[how]', 'on or off', 'on')
    .addOption(json())
    .action((id, how, options) => run(async () => (await import('./private.ts')).privateCommand(terminal, id, how, options)))
}

function seqNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}
