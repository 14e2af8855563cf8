import type { Readable, Writable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import type { Environment } from '../settings.ts'
import { serveCommand } from './serve.ts'

/** The world as a command sees it. */
export type Terminal = {
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** Runs one command and gives back its exit code. */
export async function runCommandLine(terminal: Terminal): Promise<number> {
  let code = 0
  const program = new Command('turnwise')
    .description('Know exactly what your model knows.')
    .exitOverride()
    .configureOutput({ writeOut: text => terminal.stdout.write(text), writeErr: text => terminal.stderr.write(text) })
  program
    .command('serve', { isDefault: true })
    .description('start the gateway and the page')
    .option('--host <host>', 'the address to listen on')
    .option('--port <port>', 'the port to listen on; 0 takes any free one')
    .action(async options => {
      code = await serveCommand(terminal, options)
    })
  try {
    await program.parseAsync(terminal.argv, { from: 'user' })
    return code
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : 2
    throw cause
  }
}
