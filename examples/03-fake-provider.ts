// A test without a key: a fake Anthropic is asked, drops the connection in mid-sentence, and what was said is kept.
import { createEngine, memoryLog, weigh } from 'turnwise'
import { startFake } from 'turnwise/testing'

const fake = await startFake({ wire: 'anthropic' })
fake.say({ says: [{ type: 'text', text: 'Once upon a time there was a river.' }], faults: [{ type: 'cutAt', byte: 1500 }] })

const engine = createEngine({
  log: memoryLog({ clock: Date.now, weigh }),
  model: 'anthropic/claude-sonnet-5-5',
  providers: { anthropic: { apiKey: 'any', baseURL: fake.url } },
})
const session = await engine.open({})
if (!session.ok) throw new Error(session.fault.message)
const { id } = session.value
await engine.say({ session: id, text: 'Tell me a story.', from: 'person' })

const reader = new AbortController()
for await (const signal of engine.follow(id, 0, reader.signal)) {
  if (signal.type !== 'event') continue
  if (signal.event.type === 'reply.broken') console.log(signal.event.parts, signal.event.fault.kind)
  if (signal.event.type === 'turn.ended') break
}
reader.abort()
await engine.close()
await fake.close()
