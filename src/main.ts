// Runs the command line; the only reader of the environment.
import { runCommandLine } from './gateway/cli/command-line.ts'

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await runCommandLine({ argv: argv.slice(2), environment: env, stdin, stdout, stderr })
