import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const root = dirname(dirname(import.meta.dirname))

/** A real gateway in a process and a workspace of its own. */
export type Gateway = { readonly url: string; readonly stop: () => Promise<void> }

/** Makes sure that what is tested is what the sources say. */
export function buildPage(): void {
  const built = spawnSync(process.execPath, ['scripts/build-web.ts'], { cwd: root, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the page could not be built: ${built.stderr}`)
}

export async function startGateway(environment: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-page-'))
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: root,
    env: { ...process.env, TURNWISE_HOME: join(folder, 'home'), TURNWISE_PORT: '0', TURNWISE_DEMO_DELAY_MS: '5', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { url: await addressOf(child), stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the gateway has no voice')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the gateway ended before it listened')
}
