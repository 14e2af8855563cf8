// Parses the command line and runs one command.
import { readFileSync } from 'node:fs'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { sinceOf } from '../since.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addCouncilCommands } from './commands/council-commands.ts'
import { addFileCommands } from './commands/file-commands.ts'
import { addNoteCommands, spelledOut } from './commands/note-commands.ts'
import { addPolicyCommands } from './commands/policy-commands.ts'
import { addTalkCommands, approveOption } from './commands/talk-commands.ts'
import { addTelegramCommands } from './commands/telegram-commands.ts'
import { addConnectCommands } from './connect/connect-commands.ts'
import { addMemoryCommands } from './memory/memory-commands.ts'
import { complain, MISUSED, type Terminal } from './output/terminal.ts'
import { addSamplingOptions } from './talk/sampling-options.ts'

export type { Terminal } from './output/terminal.ts'

const EXAMPLES = `
Examples:
  turnwise                                    start the gateway and the page
  turnwise connect                            connect a model; the demo answers until then
  turnwise chat                               talk; /help inside says how
  turnwise ask "What is a receipt?"           ask once, in a session of its own
  git diff | turnwise ask "Review this"       what is piped in is said too
  turnwise ask --council board "Shall we?"    every advisor answers, under its name
  turnwise resume ses_1a2b                    go on with what was interrupted, failed or cut off
  turnwise ask --dry-run "hello"              exactly what would be sent; nothing is
  turnwise sessions                           what there is, newest first
  turnwise context ses_1a2b --why             what the model was sent, and why
  turnwise context ses_1a2b --diff            what changed since the request before
  turnwise folds ses_1a2b --text              what was summarized, and in which words
  turnwise memory from project                let chats quote the others of their project
  turnwise policies test cases.json           whether policies keep what matters to you
  turnwise policies bench --budgets 2000,8000 which policy recalls most for its price
  turnwise export ses_1a2b -o boats.json      a conversation as a file, and all that was sent for it
  turnwise import conversations.json          conversations of a file: ours, ChatGPT's, Claude's and others
  turnwise verify --all                       prove that the log still gives every request

The workspace is ~/.turnwise, or the folder that TURNWISE_HOME names.`

/** Runs one command and gives back its exit code. */
export async function runCommandLine(terminal: Terminal): Promise<number> {
  for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', ignoreClosedPipe)
  let code = 0
  const program = commands(terminal, async command => {
    code = await command()
  })
  const [first, second] = terminal.argv
  if (first === 'help' && second !== undefined && !program.commands.some(command => command.name() === second))
    return complain(terminal, `unknown command '${second}'; see "turnwise --help"`, MISUSED)
  try {
    await program.parseAsync(withDefault(spelledOut(terminal.argv)), { from: 'user' })
    return code
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : MISUSED
    return troubleOrBug(terminal, cause)
  }
}

/** Loads each command only when it runs, so that help does not wait for a tokenizer. */
function commands(terminal: Terminal, run: (command: () => Promise<number>) => Promise<void>): Command {
  const json = (): Option => new Option('--json', 'for programs')
  const program = new Command('turnwise')
    .description('Know exactly what your model knows.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXAMPLES)
    // Options after a command belong to that command: a value may be `--version`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
      outputError: text =>
        complain(
          terminal,
          `${text
            .replace(/^error: /, '')
            .trim()
            .replace(/\.$/, '')}; see "turnwise --help"`,
        ),
    })
  program
    .command('serve')
    .description('start the gateway and the page (the default)')
    .option('--host <host>', 'the address to listen on')
    .option('--port <port>', 'the port to listen on; 0 takes any free one', portNumber)
    .action(options => run(async () => (await import('./commands/serve.ts')).serveCommand(terminal, options)))
  addConnectCommands(program, terminal, run)
  addTalkCommands(program, terminal, run)
  addSamplingOptions(
    program
      .command('ask')
      .description('say something and print the answer')
      .argument('[text...]', 'what to say; what is piped in is said too')
      .option('-s, --session <id>', 'go on with a session')
      .addOption(new Option('-c, --continue', 'go on with the session that was used last').conflicts('session'))
      .addOption(
        new Option('-a, --agent <key>', 'ask this agent; a session that is gone on with is handed to it').conflicts('council'),
      )
      .addOption(
        new Option('--council <key>', 'ask a council: every advisor answers, in a session of its own').conflicts([
          'session',
          'continue',
          'dryRun',
        ]),
      )
      .option('-f, --file <path>', 'say it with a file or image; may be given more than once', collected)
      .option('-q, --quiet', 'nothing but the answer')
      .option('--dry-run', 'print exactly what would be sent; nothing is sent or kept'),
  )
    .addOption(approveOption())
    .addOption(json())
    .action((text, options) => run(async () => (await import('./talk/ask.ts')).askCommand(terminal, text, options)))
  program
    .command('resume')
    .description('go on with what was interrupted, failed or was cut off, and print it')
    .argument('<id>', 'the session, or the beginning of its id')
    .option('--turn <id>', 'only this turn; also one that was stopped')
    .option('-q, --quiet', 'nothing but the answer')
    .addOption(json())
    .action((id, options) => run(async () => (await import('./talk/resume.ts')).resumeCommand(terminal, id, options)))
  program
    .command('sessions')
    .description('list the sessions, newest first')
    .addOption(json())
    .action(options => run(async () => (await import('./sessions/sessions.ts')).sessionsCommand(terminal, options)))
  program
    .command('show')
    .description('print a conversation')
    .argument('<id>', 'the session, or the beginning of its id')
    .addOption(new Option('--follow', 'go on printing what is said, until Ctrl-C').conflicts('json'))
    .addOption(json())
    .action((id, options) => run(async () => (await import('./sessions/show.ts')).showCommand(terminal, id, options)))
  program
    .command('context')
    .description('show what the model was sent, or would be')
    .argument('<id>', 'the session, or the beginning of its id')
    .option('--turn <n>', 'which turn; the newest by default', wholeNumber)
    .option('--step <n>', 'which request of the turn; the last by default', wholeNumber)
    .option('--voice <voice>', 'only the turns of this voice, counted among themselves')
    .addOption(new Option('--why', 'each line with the code of its reason').conflicts(['raw', 'json']))
    .addOption(new Option('--raw', 'the exact body of the request').conflicts('json'))
    .addOption(json())
    .addOption(
      new Option('--diff [turns]', 'what went and came since the request before, or from turn a to b as in 3..7')
        .argParser(turnRange)
        .conflicts(['why', 'raw', 'cache']),
    )
    .addOption(new Option('--cache', 'how much of each request stayed, and what broke it').conflicts(['why', 'raw']))
    .option('--policy <policy>', 'as it would be under this policy; with --diff two may be given', collected)
    .option('--model <model>', 'as it would be for this model')
    .option('--budget <tokens>', 'as it would be with at most so many tokens', wholeNumber)
    .option('--at <seq>', 'as it would be at this place in the log', wholeNumber)
    .addOption(
      new Option('--where <seq>', 'in which requests after it that message is, and why it left')
        .argParser(wholeNumber)
        .conflicts(['why', 'raw', 'diff', 'cache']),
    )
    .action((id, options) => run(async () => (await import('./context/context.ts')).contextCommand(terminal, id, options)))
  program
    .command('verify')
    .description('rebuild what was sent and compare, to the byte')
    .argument('[id]', 'one session; all of them by default')
    .option('--all', 'every session')
    .option('--deep', 'also look up again what was recalled, in an index made for that')
    .addOption(json())
    .action((id, options) => run(async () => (await import('./sessions/verify.ts')).verifyCommand(terminal, id, options)))
  program
    .command('reindex')
    .description('make the recall index anew, of a running gateway too')
    .argument('[id]', 'the session, or the beginning of its id')
    .option('--all', 'every session')
    .addOption(json())
    .action((id, options) => run(async () => (await import('./sessions/reindex.ts')).reindexCommand(terminal, id, options)))
  program
    .command('agents')
    .description('list who can answer')
    .addOption(json())
    .action(options => run(async () => (await import('./commands/agents.ts')).agentsCommand(terminal, options)))
  addMemoryCommands(program, terminal, run)
  addCouncilCommands(program, terminal, run)
  addPolicyCommands(program, terminal, run)
  program
    .command('skills')
    .description('list the skills, and what each costs every request')
    .addOption(json())
    .action(options => run(async () => (await import('./commands/skills.ts')).skillsCommand(terminal, options)))
  program
    .command('tools')
    .description('list what agents may use, and what asks first')
    .addOption(json())
    .action(options => run(async () => (await import('./commands/tools.ts')).toolsCommand(terminal, options)))
  program
    .command('approvals')
    .description('list the calls that wait for a person, or answer one')
    .argument('[id]', 'the call to answer')
    .argument('[answer]', 'once, session, always or deny')
    .option('--reason <text>', 'what the model is told of a refusal')
    .addOption(json())
    .action((id, answer, options) =>
      run(async () => (await import('./commands/approvals.ts')).approvalsCommand(terminal, id, answer, options)),
    )
  program
    .command('grants')
    .description('list what people allowed tools for longer than one call')
    .option('--revoke <id>', 'take one back, so that the tool asks again')
    .addOption(json())
    .action(options => run(async () => (await import('./commands/grants.ts')).grantsCommand(terminal, options)))
  program
    .command('models')
    .description('list the models that can be asked')
    .option('--all', 'also those that still need a key')
    .addOption(json())
    .action(options => run(async () => (await import('./commands/models.ts')).modelsCommand(terminal, options)))
  program
    .command('usage')
    .description('say what was used and what it cost, by day and model')
    .option('--since <date>', 'from this day or time on, as in 2026-01-31', moment)
    .addOption(json())
    .action(options => run(async () => (await import('./commands/usage.ts')).usageCommand(terminal, options)))
  addFileCommands(program, terminal, run)
  addTelegramCommands(program, terminal, run)
  addNoteCommands(program, terminal, run, wholeNumber)
  program
    .command('clock')
    .description('say what time it is, here and in UTC')
    .option('--zone <zone>', "a time zone, as in Europe/Oslo; the system's by default")
    .addOption(json())
    .action(options => run(async () => (await import('./commands/clock.ts')).clockCommand(terminal, options)))
  program
    .command('backup')
    .description('copy the database, of a running gateway too')
    .argument('<file>', 'where to; it must not exist yet')
    .addOption(json())
    .action((file, options) => run(async () => (await import('./sessions/backup.ts')).backupCommand(terminal, file, options)))
  program
    .command('copy')
    .description('move a whole house to another store, and prove that it is the same')
    .requiredOption('--to <store>', 'where to, as "store" in the settings, or $NAME of a variable')
    .option('--from <store>', 'where from; the store of the settings by default')
    .addOption(json())
    .action(options => run(async () => (await import('./copy/copy.ts')).copyCommand(terminal, options)))
  program
    .command('doctor')
    .description('look whether everything is well')
    .addOption(json())
    .action(options => run(async () => (await import('./doctor/doctor.ts')).doctorCommand(terminal, options)))
  addCompletionCommand(program, terminal, run)
  return program
}

/** Runs `serve` if the person gave no command, or only options of `serve`. */
function withDefault(argv: readonly string[]): readonly string[] {
  const [first] = argv
  const isOfProgram = first !== undefined && ['-h', '--help', '--version'].includes(first)
  return first === undefined || (first.startsWith('-') && !isOfProgram) ? ['serve', ...argv] : argv
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

function portNumber(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return text
}

function moment(text: string): string {
  const since = sinceOf(text)
  if (since === undefined)
    throw new InvalidArgumentError('It must be a date as in 2026-01-31, or a time as in 2026-01-31T12:00Z.')
  return since
}

/** Collects an option that may be given more than once. */
const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

function turnRange(text: string): { readonly from: number; readonly to: number } {
  const [, from, to] = /^([1-9]\d{0,8})\.\.([1-9]\d{0,8})$/.exec(text) ?? []
  if (from === undefined || to === undefined)
    throw new InvalidArgumentError('Two turns are written as in 3..7, after the session.')
  return { from: Number(from), to: Number(to) }
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version
}

/** A reader that closes the pipe early, like `head`, is not an error. */
function ignoreClosedPipe(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'EPIPE') throw cause
}

/**
 * An error from the system is for the person to fix. Any other error is a bug, and its stack is shown only at the debug level.
 */
function troubleOrBug(terminal: Terminal, cause: unknown): number {
  const { code, message, stack } = cause as NodeJS.ErrnoException
  if (terminal.environment.TURNWISE_LOG_LEVEL === 'debug') terminal.stderr.write(`${stack}\n`)
  if (code !== undefined) return complain(terminal, message)
  return complain(terminal, `something went wrong inside (${message}); TURNWISE_LOG_LEVEL=debug shows where, please report it`)
}
