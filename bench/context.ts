// How many contexts can be built in a second, and where the time goes: reading the log, then assembling what was read.
import { createEngine, sqliteLog, weigh } from '../src/engine.ts'
import { houseParts } from '../src/turn/house.ts'
import { fixture, type Sized } from './fixture.ts'
import { type Case, measure, report, scaleOf, sure } from './measure.ts'

const SKILLS = 20

const scale = scaleOf(process.argv)
const database = fixture(scale.small, scale.large)
const log = sure(await sqliteLog({ file: database.file, clock: Date.now, weigh, readOnly: true }))
const skills = Array.from(
  { length: SKILLS },
  (_, index) =>
    `- skill-${index}: Reads a page of the handbook and says what to do. Use it when somebody asks about part ${index}.`,
)
const engine = createEngine({
  log,
  // Its window is large enough for a thousand messages.
  model: 'openai/bench',
  house: { parts: async agent => houseParts({ ...agent, prompt: 'You are brief and kind.' }, skills.join('\n')) },
})

const contexts = ({ session, messages }: Sized, policy: string): Case => ({
  messages,
  counts: `${policy}: both`,
  ...(policy === 'full' ? { goes: Math.ceil(scale.goes / 10) } : {}),
  once: async () => {
    const { receipt } = sure(await engine.wouldSend(session, { text: 'And what about the boats?', policy }))
    // A context that could not be read in time is quick and worthless.
    if (receipt.degraded !== null) throw new Error(receipt.degraded.reason)
    const { readMs, assembleMs } = receipt.timings
    return { [`${policy}: read`]: readMs, [`${policy}: assembly`]: assembleMs, [`${policy}: both`]: readMs + assembleMs }
  },
})

await report('context', scale, () =>
  measure([contexts(database.small, 'recent'), contexts(database.large, 'recent'), contexts(database.small, 'full')], scale),
)
await engine.close()
