/** The processes of the benchmark: a provider, people, gateways and a database, and the time that each has used. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Asked, Heard } from './client.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const MAIN = here('../../src/main.ts')
const PROVIDER = here('./provider.ts')
const CLIENT = here('./client.ts')
const MODEL = 'compatible/bench/fake'
/** What waits for a place at the provider is not what is measured. */
const CONCURRENCY = 512

export type Process = { readonly pid: number; readonly stop: () => Promise<void>; readonly stopNow: () => void }
export type Gateway = Process & { readonly url: string }
export type People = Process & { readonly ask: (asked: Asked) => Promise<Heard> }

/** A provider that has its whole answer ready. */
export async function startProvider(deltas: number): Promise<Process & { readonly url: string }> {
  const child = fork(PROVIDER, [`${deltas}`])
  const [port] = (await once(child, 'message')) as [number]
  return { ...asProcess(child), url: `http://127.0.0.1:${port}/v1` }
}

export function startPeople(): People {
  const child = fork(CLIENT)
  return {
    ...asProcess(child),
    ask: async asked => {
      const over = new AbortController()
      child.send(asked)
      try {
        const left = once(child, 'exit', over).then(() => Promise.reject(new Error('the people have left')))
        const [heard] = await Promise.race([once(child, 'message', over), left])
        return heard as Heard
      } finally {
        over.abort()
      }
    },
  }
}

/** A gateway as `turnwise serve` starts it, with a workspace of its own. */
export async function startGateway(folder: string, name: string, provider: string, store: string): Promise<Gateway> {
  const home = join(folder, name)
  mkdirSync(home, { mode: 0o700 })
  const settings = {
    model: MODEL,
    providers: { bench: { baseURL: provider, concurrency: CONCURRENCY } },
    // With its window known, the provider is not asked what its model can do.
    models: { [MODEL]: { window: 32_768 } },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings), { mode: 0o600 })
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'serve'], {
    env: { PATH: process.env.PATH, HOME: home, TURNWISE_HOME: home, TURNWISE_PORT: '0', TURNWISE_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(String(text)))
    child.once('exit', code => reject(new Error(`${name} stopped with ${code}`)))
  })
  const [, url] = /listening on (\S+)/.exec(said) ?? []
  if (url === undefined) throw new Error(`${name} said: ${said}`)
  return { ...asProcess(child), url }
}

function asProcess(child: ChildProcess): Process {
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { pid: child.pid ?? 0, stop: end, stopNow: () => void child.kill('SIGKILL') }
}

/** What processes have used so far, with the children that they had, in milliseconds; undefined where only the system knows. */
export function cpuMs(pids: readonly number[], withChildren = false): number | undefined {
  if (process.platform !== 'linux') return undefined
  const all = withChildren ? [...pids, ...pids.flatMap(childrenOf)] : pids
  return all.reduce((sum, pid) => sum + usedBy(pid, pids.includes(pid) && withChildren), 0)
}

/** Hundredths of a second, of which there are ten milliseconds each. */
function usedBy(pid: number, withEnded: boolean): number {
  const fields = statOf(pid)
  const own = Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  return 10 * (own + (withEnded ? Number(fields[13] ?? 0) + Number(fields[14] ?? 0) : 0))
}

const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => Number(statOf(pid)[1]) === parent)

/** The fields of a process from its state on; none if it is gone. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
