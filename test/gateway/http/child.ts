import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../../support/gateway.ts'

/** A gateway as an operator starts it: a process of its own. */
export type Child = {
  readonly pid: number
  readonly home: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Its address, once it says where it listens; an early end is thrown with what it said instead. */
  readonly listening: Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
  readonly kill: (signal: NodeJS.Signals) => void
}

export type ChildOptions = {
  readonly home?: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export function spawnGateway(
  t: Scope,
  { home = join(temporary(t), 'home'), args = [], environment = {} }: ChildOptions = {},
): Child {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], {
    env: { PATH: process.env.PATH, HOME: temporary(t), TURNWISE_HOME: home, TURNWISE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const exited = new Promise<number | string>(resolve => child.on('close', (code, signal) => resolve(code ?? signal ?? '')))
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      const [, url] = /listening on (http:\/\/\S+)/.exec(stdout) ?? []
      if (url !== undefined) resolve(url)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('close', () => reject(new Error(`it ended before it listened: ${stderr}`)))
  })
  // Whoever does not wait for it expects it not to come.
  listening.catch(() => undefined)
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    pid: child.pid ?? 0,
    home,
    stdout: () => stdout,
    stderr: () => stderr,
    listening,
    exited,
    kill: signal => void child.kill(signal),
  }
}

export function temporary(t: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-child-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
