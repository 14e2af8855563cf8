// How long a gateway takes from its first instruction to the line that says it is listening.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fixture } from './fixture.ts'
import { type Case, measure, report, scaleOf } from './measure.ts'
import { recallFixture } from './recall-fixture.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const asked = scaleOf(process.argv)
/** A process takes its time to start, so this one has fewer rounds. */
const scale = { ...asked, rounds: Math.min(asked.rounds, 10), goes: 1 }
const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-home-'))

const serving = (file: string, messages: number, what = 'serve: listening'): Case => ({
  messages,
  once: async () => ({ [what]: await firstLine([MAIN, 'serve', '--port', '0'], file) }),
})
const bare: Case = {
  messages: 0,
  once: async () => ({ 'Node alone': await firstLine(['-e', 'console.log("here"); setInterval(() => {}, 1000)'], '') }),
}

/** Sessions that came from elsewhere: the recall index is there, or has to be made after the start. */
const lengths = scale.quick ? [1000, 4000] : [1000, 100_000, 1_000_000]
const { plain, indexed } = await recallFixture(lengths)
const longest = lengths.at(-1) ?? 0

await report('start', scale, () =>
  measure(
    [
      bare,
      serving(plain, longest, 'serve: listening, recall not indexed yet'),
      serving(indexed, longest, 'serve: listening, recall indexed'),
      serving(fixture(scale.small, 0).file, scale.small),
      // Opened and left as it is: nothing waits in it, so nothing is written.
      serving(fixture(scale.small, scale.large).file, scale.large),
    ],
    scale,
  ),
)
rmSync(home, { recursive: true })

function firstLine(args: readonly string[], file: string): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, TURNWISE_HOME: home, TURNWISE_STORE: `sqlite:${file}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let ms: number | undefined
    child.stdout.once('data', () => {
      ms = performance.now() - started
      child.kill('SIGTERM')
    })
    child.once('exit', code => (ms === undefined ? reject(new Error(`it stopped with ${code}`)) : resolve(ms)))
  })
}
