// The smallest program on the engine: one question, one streamed answer, and the receipt of what was sent.
import { createEngine, memoryLog, weigh } from 'turnwise'

const engine = createEngine({ log: memoryLog({ clock: Date.now, weigh }) })
const session = await engine.open({ title: 'Hello' })
if (!session.ok) throw new Error(session.fault.message)
const { id } = session.value

const said = await engine.say({ session: id, text: 'say 5 words', from: 'person' })
if (!said.ok) throw new Error(said.fault.message)

const reader = new AbortController()
for await (const signal of engine.follow(id, 0, reader.signal)) {
  if (signal.type === 'delta') process.stdout.write(signal.delta.text)
  if (signal.type !== 'event') continue
  if (signal.event.type === 'context.planned') {
    const { policy, tokens, digest } = signal.event.receipt
    console.log(`${policy}, ${tokens.estimated} tokens, ${digest.slice(0, 14)}…`)
  }
  if (signal.event.type === 'turn.ended') break
}
reader.abort()
await engine.close()
