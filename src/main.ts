import { runCommandLine } from './gateway/cli/command-line.ts'

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await runCommandLine({ argv: argv.slice(2), environment: env, stdin, stdout, stderr })
