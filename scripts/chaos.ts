// Kills a gateway at every point of one conversation, in order or at random, and checks that the result is the same. With `--nodes 3`
// several gateways share one PostgreSQL, and nodes, connections and the database fail at random.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chaos } from '../test/chaos/chaos.ts'
import { nodesChaos } from '../test/chaos/nodes/chaos.ts'

const value = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}
const has = (name: string): boolean => process.argv.includes(`--${name}`)

const compiled = mkdtempSync(join(tmpdir(), 'turnwise-compiled-'))
process.on('exit', () => rmSync(compiled, { recursive: true, force: true }))
// Stopping this script stops its gateways too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const seed = Number(value('seed') ?? Math.floor(Math.random() * 2 ** 31))
const print = (line: string): void => console.log(line)
const ok = has('nodes') ? await onNodes() : await onOne()
process.exitCode = ok ? 0 : 1

async function onOne(): Promise<boolean> {
  const random = value('random')
  const only = value('run')
  const verdict = await chaos({
    ...(random === undefined ? {} : { random: Number(random) }),
    only: only === undefined ? undefined : Number(only),
    at: value('at'),
    ofEach: has('short') ? 2 : undefined,
    seed,
    atOnce: Number(value('jobs') ?? 2),
    compiled,
    isVerbose: has('verbose'),
    isBroken: breakIn(process.env.CHAOS_BREAK),
    print,
  })
  return verdict.ok
}

/** Other faults come in proportion to the kills, unless they are counted themselves. */
async function onNodes(): Promise<boolean> {
  const count = (name: string, usual: number): number => {
    const given = value(name)
    return given === undefined || given.startsWith('--') ? usual : Number(given)
  }
  const kill = count('kills', 60)
  const verdict = await nodesChaos({
    nodes: count('nodes', 3),
    faults: {
      kill,
      restart: count('restarts', Math.ceil(kill / 10)),
      pause: count('pauses', Math.ceil(kill / 8)),
      cut: count('cuts', Math.ceil(kill / 8)),
      stall: count('stalls', Math.ceil(kill / 12)),
    },
    seed,
    atOnce: count('jobs', 6),
    killsPerSet: Math.max(20, Math.ceil(kill / 20)),
    everyMs: count('every', 600),
    leaseMs: count('lease', 1500),
    minutes: count('minutes', 30),
    compiled,
    isUnfenced: has('without-fence'),
    print,
  })
  for (const words of verdict.faults.slice(0, 20)) print(words)
  return verdict.ok
}

function breakIn(given: string | undefined): 'rerun' | 'cursor' | undefined {
  if (given === undefined || given === 'rerun' || given === 'cursor') return given
  throw new Error(`CHAOS_BREAK is rerun or cursor, not ${given}`)
}
