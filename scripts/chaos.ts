// Kills a gateway at every point of one conversation, in order or at random, and checks that the result is the same.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chaos } from '../test/chaos/chaos.ts'

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)

const compiled = mkdtempSync(join(tmpdir(), 'turnwise-compiled-'))
process.on('exit', () => rmSync(compiled, { recursive: true, force: true }))
// Stopping this script stops its gateways too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const random = value('random')
const only = value('run')
const { ok } = await chaos({
  ...(random === undefined ? {} : { random: Number(random) }),
  only: only === undefined ? undefined : Number(only),
  at: value('at'),
  ofEach: has('short') ? 2 : undefined,
  seed: Number(value('seed') ?? Math.floor(Math.random() * 2 ** 31)),
  atOnce: Number(value('jobs') ?? 2),
  compiled,
  isVerbose: has('verbose'),
  isBroken: breakIn(process.env.CHAOS_BREAK),
  print: line => console.log(line),
})
process.exitCode = ok ? 0 : 1

function breakIn(given: string | undefined): 'rerun' | 'cursor' | undefined {
  if (given === undefined || given === 'rerun' || given === 'cursor') return given
  throw new Error(`CHAOS_BREAK is rerun or cursor, not ${given}`)
}
