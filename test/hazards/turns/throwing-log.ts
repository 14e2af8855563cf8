import { createEngine, type Engine, memoryLog, weigh } from '../../../src/index.ts'
import type { Log } from '../../../src/log/ports.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { err } from '../../../src/model/result.ts'
import { isAfterRound } from '../../../src/model/settings/council.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { createLanes } from '../../../src/turn/schedule/lane.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { eachMethod } from '../../support/each-method.ts'

/**
 * A process of its own, in which each method of a log throws once at each of its calls: it has to live through all of them, and
 * every turn has to end. It is started with --unhandled-rejections=strict, so that a promise without an owner ends it.
 */

/** Where a bug is thrown; `afterFault` says whether the store was away in the call before, so that what waits is what throws. */
type Place = { readonly method: string; readonly call: number; readonly afterFault?: boolean }

/** A log in memory that throws at one place, and counts how often each method is called. */
function throwing(place: Place | undefined): {
  readonly log: Log
  readonly real: Log
  readonly calls: ReadonlyMap<string, number>
} {
  const real = memoryLog({ clock: Date.now, weigh })
  const counts = new Map<string, number>()
  const log = eachMethod(real, async ({ method, work }) => {
    const call = (counts.get(method) ?? 0) + 1
    counts.set(method, call)
    if (place?.method === method && place.call === call) throw new Error(`a bug in ${method}`)
    if (place?.afterFault === true && place.method === method && place.call === call + 1) return AWAY
    return work()
  })
  return { log, real, calls: counts }
}

const AWAY = err(fault('store', 'the database does not answer'))
const spec = { name: 'act', description: 'Acts', parameters: { type: 'object' } }
/** Long enough to be kept beside the log while it is said. */
const long: readonly Delta[] = Array.from({ length: 3 }, () => ({ type: 'text', text: 'word '.repeat(600) }))

type Scene = {
  readonly name: string
  readonly engine: (log: Log, observe: (seen: { type: string }) => void) => Engine
  readonly council?: string
}

const SCENES: readonly Scene[] = [
  {
    name: 'a tool is used',
    engine: (log, observe) => {
      const reply = (index: number): readonly Delta[] => (index % 2 === 0 ? calls('act', {}) : [...long, { type: 'done' }])
      const provider = scriptedProvider(Array.from({ length: 40 }, (_, index) => reply(index)))
      const act = { spec, run: async () => ({ ok: true, outcome: 'done' }) }
      return createEngine({ log, provider, observe, toolbox: toolbox([act]), limits: { historyMs: 5000 } })
    },
  },
  {
    name: 'a call asks',
    engine: (log, observe) => {
      const reply = (index: number): readonly Delta[] => (index % 2 === 0 ? calls('act', {}) : says('done'))
      const provider = scriptedProvider(Array.from({ length: 40 }, (_, index) => reply(index)))
      const act = { spec, approval: 'ask' as const, run: async () => ({ ok: true, outcome: 'done' }) }
      return createEngine({ log, provider, observe, toolbox: toolbox([act]), limits: { historyMs: 5000 } })
    },
  },
  {
    name: 'a council answers',
    council: 'board',
    engine: (log, observe) => {
      const council = { ...councilOf([advisor('ada'), advisor('bo')]), synthesis: 'brief' as const }
      return createEngine({ log, observe, provider: stand(({ voice }) => says(`${voice} speaks.`)), councils: () => [council] })
    },
  },
]

/** Whether every turn that is in the log has its end there, and every message was heard. */
async function isQuiet(real: Log, id: SessionId): Promise<boolean> {
  const events = await real.read(id)
  const standing = await real.standing(id)
  if (!events.ok || !standing.ok) return false
  const count = (type: string): number => events.value.filter(event => event.type === type).length
  // What was to be made of a round that nobody answered waits until a person says so.
  return count('turn.started') === count('turn.ended') && standing.value.due.every(({ voice }) => isAfterRound(voice))
}

async function quiet(engine: Engine, real: Log, id: SessionId, within: number): Promise<boolean> {
  const until = Date.now() + within
  while (!(await isQuiet(real, id))) {
    if (Date.now() > until) return false
    // A person, who answers once more where that did not work.
    for (const { approval } of engine.approvals()) await engine.answer(approval, 'session').catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return true
}

async function played(scene: Scene, place: Place | undefined): Promise<ReadonlyMap<string, number>> {
  const where = `${scene.name}, ${place === undefined ? 'nothing thrown' : `${place.method} ${place.call}${place.afterFault === true ? ' after a fault' : ''}`}`
  const { log, real, calls: counted } = throwing(place)
  let bugs = 0
  const engine = scene.engine(log, ({ type }) => {
    if (type === 'bug') bugs += 1
    throw new Error('a bug in the observer')
  })
  /** What a door does: a bug is an answer of its own, and whoever asked may ask again. */
  const insist = async <Value>(work: () => Promise<{ ok: true; value: Value } | { ok: false }>): Promise<Value> => {
    for (let tries = 0; tries < 3; tries += 1) {
      const done = await work().catch(() => {
        bugs += 1
        return { ok: false } as const
      })
      if (done.ok) return done.value
    }
    throw new Error(`${where}: asked in vain`)
  }
  const { id } = await insist(() => engine.open(scene.council === undefined ? {} : { council: scene.council }))
  const say = (text: string): Promise<unknown> => insist(() => engine.say({ session: id, text, from: 'person', key: text }))
  await say('one')
  await say('two, said meanwhile')
  // A turn that could not begin begins with the next message; until then its message is safe.
  await quiet(engine, real, id, place === undefined ? 3000 : 300)
  await say('three')
  if (!(await quiet(engine, real, id, 3000))) throw new Error(`${where}: a turn has no end, or a message was not heard`)
  if (place !== undefined && bugs === 0) throw new Error(`${where}: nobody was told`)
  await engine.close(1000)
  return counted
}

const seen: unknown[] = []
const lanes = createLanes(cause => seen.push(cause))
lanes.wake('a', async lane => {
  lane.leave()
  throw new Error('a bug after the lane was released')
})
await lanes.idle()
await new Promise(resolve => setImmediate(resolve))
if (seen.length !== 1) throw new Error('a bug after a lane was released: nobody was told')

let runs = 0
for (const scene of SCENES) {
  const counts = await played(scene, undefined)
  for (const [method, times] of counts) {
    if (method === 'close') continue
    for (let call = 1; call <= times; call += 1) {
      await played(scene, { method, call })
      runs += 1
      if (method !== 'append' || call === 1) continue
      await played(scene, { method, call, afterFault: true })
      runs += 1
    }
  }
}
process.stdout.write(`lived through ${runs} bugs\n`)
