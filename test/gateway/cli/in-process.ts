import { PassThrough, Writable } from 'node:stream'
import { runCommandLine } from '../../../src/gateway/cli/command-line.ts'
import { cleanEnvironment, type RunOptions } from './turnwise.ts'

/** What a command printed, and its exit code. */
export type Printed = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** A command of its own in this process, which is much faster than to start one; with columns, on a terminal that is so wide. */
export async function command(home: string, argv: readonly string[], columns?: number): Promise<Printed> {
  const [stdout, stderr] = [written(), written()]
  const screen = columns === undefined ? stdout.stream : Object.assign(stdout.stream, { isTTY: true, columns })
  const environment = cleanEnvironment(home, { NO_COLOR: '1' })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const code = await runCommandLine({ argv, environment, stdin, stdout: screen, stderr: stderr.stream })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** As in a pipe: nobody is at the keyboard, and what is said comes from `input`. For whatever needs no process of its own. */
export async function piped(argv: readonly string[], { home, env, input = '' }: Omit<RunOptions, 'idleInput'>): Promise<Printed> {
  const [stdin, stdout, stderr] = [new PassThrough(), written(), written()]
  stdin.end(input)
  const environment = cleanEnvironment(home, env)
  const code = await runCommandLine({ argv, environment, stdin, stdout: stdout.stream, stderr: stderr.stream })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function written(): { readonly stream: Writable; readonly text: () => string } {
  let seen = ''
  const stream = new Writable({
    write: (chunk, _, done) => {
      seen += String(chunk)
      done()
    },
  })
  return { stream, text: () => seen }
}
