// Declares connect and disconnect.
import { type Command, Option } from 'commander'
import type { Terminal } from '../output/terminal.ts'

type Run = (command: () => Promise<number>) => Promise<void>

const HELP = `
Providers: anthropic, openai, openrouter, gemini, ollama, lmstudio, vllm, llamacpp,
or a name of your own for any other OpenAI-compatible server.

Examples:
  turnwise connect                                          choose and be asked
  turnwise connect anthropic --key-stdin < key.txt          in a script
  turnwise connect lan --base-url http://10.0.0.5:8000/v1 --model qwen3

The key is kept in secrets.json of the workspace, which only you can read. There is no option
for the key itself: other users could see it, and the shell would remember it.`

/** Adds `connect` and `disconnect`. They work with a running gateway and without one. */
export function addConnectCommands(program: Command, terminal: Terminal, run: Run): void {
  const json = (): Option => new Option('--json', 'for programs')
  program
    .command('connect')
    .description('connect a model provider or a server of your own')
    .argument('[name]', 'the provider; without one you choose')
    .option('--base-url <url>', 'its address, if it is not the usual one')
    .option('--key-stdin', 'read the key from standard input')
    .option('-m, --model <model>', 'make this model the default')
    .option('--no-check', 'save it without asking the provider first')
    .addOption(json())
    .addHelpText('after', HELP)
    .action((name, options) => run(async () => (await import('./connect.ts')).connectCommand(terminal, name, options)))
  program
    .command('disconnect')
    .description('forget the key and address of a provider')
    .argument('<name>', 'the provider')
    .addOption(json())
    .action((name, options) => run(async () => (await import('./connect.ts')).disconnectCommand(terminal, name, options)))
}
