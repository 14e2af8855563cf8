// Declares telegram and its subcommands.
import { type Command, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'

/** Adds `telegram` and its subcommands for the list of chats. All of them need a running gateway. */
export function addTelegramCommands(
  program: Command,
  terminal: Terminal,
  run: (command: () => Promise<number>) => Promise<void>,
): void {
  const json = (): Option => new Option('--json', 'for programs')
  const telegram = program
    .command('telegram')
    .description('say how the door to Telegram stands, or let a chat in')
    .addOption(json())
    // A `--json` after `pair` belongs to `pair`.
    .enablePositionalOptions()
    .action(options => run(async () => (await import('./telegram.ts')).telegramCommand(terminal, options)))
  telegram
    .command('pair')
    .description('make a code that lets one more chat in: send "/pair CODE" to the bot from there')
    .addOption(json())
    .action(options => run(async () => (await import('./telegram.ts')).pairCommand(terminal, options)))
  telegram
    .command('forget')
    .description('take a paired chat off the list')
    .argument('<id>', 'the number of the chat; before a negative one write --, as in: forget -- -100123')
    .addOption(json())
    .action((id, options) => run(async () => (await import('./telegram.ts')).forgetCommand(terminal, id, options)))
}
