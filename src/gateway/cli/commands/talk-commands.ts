// Declares the commands around conversations.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'
import { addSamplingOptions } from '../talk/sampling-options.ts'

/** Adds the commands that hold a conversation and find one again. */
export function addTalkCommands(
  program: Command,
  terminal: Terminal,
  run: (command: () => Promise<number>) => Promise<void>,
): void {
  const json = (): Option => new Option('--json', 'for programs')
  addSamplingOptions(
    program
      .command('chat')
      .description('talk, in a terminal or through a pipe; /help inside says how')
      .addOption(
        new Option('-a, --agent <key>', 'with this agent; a session that is gone on with is handed to it').conflicts([
          'council',
          'pick',
        ]),
      )
      .addOption(new Option('--council <key>', 'with a council, in the same way').conflicts('pick'))
      .addOption(new Option('-c, --continue', 'go on with the session that was used last').conflicts(['session', 'pick']))
      .addOption(new Option('-s, --session <id>', 'go on with a session').conflicts('pick'))
      .option('-r, --pick', 'choose a session from a list')
      .addOption(new Option('--only <advisors>', 'of a council, ask these alone, as in --only a,b').argParser(named)),
  )
    .addOption(approveOption())
    .addOption(json())
    .action(options => run(async () => (await import('../chat/chat.ts')).chatCommand(terminal, options)))
  program
    .command('search')
    .description('find what was said, in all sessions')
    .argument('<words...>', 'what to look for')
    .addOption(json())
    .action((words, options) =>
      run(async () => (await import('../sessions/search.ts')).searchCommand(terminal, words.join(' '), options)),
    )
}

/** What to do with calls that wait for a person. */
export const approveOption = (): Option =>
  new Option('--approve <how>', 'ask a person about calls that ask, or run only what never asks')
    .choices(['ask', 'allow-list', 'never'])
    .default('ask')

function named(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim())
  if (names.some(name => name === '')) throw new InvalidArgumentError('Advisors are written as in a,b.')
  return names
}
