// node bench/nodes/client.ts, forked by nodes.ts: people who talk to gateways over HTTP, in a process of its own, so that their
// work is not counted to anything that is measured.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What is to be done. Sessions are taken one after the other, and so are the gateways: each message goes to the next one. */
export type Asked =
  | { readonly do: 'open'; readonly urls: readonly string[]; readonly sessions: number }
  /** So many people, each of whom says the next thing as soon as the last answer is there. */
  | {
      readonly do: 'saturate'
      readonly urls: readonly string[]
      readonly sessions: readonly string[]
      readonly people: number
      readonly ms: number
    }
  /** A message at fixed times, whether or not the last one is answered. */
  | {
      readonly do: 'pace'
      readonly urls: readonly string[]
      readonly sessions: readonly string[]
      readonly perSecond: number
      readonly ms: number
    }

/** Milliseconds: until the first delta of each turn was here, until its end, and from the first message to the last answer. */
export type Heard = {
  readonly sessions: readonly string[]
  readonly first: readonly number[]
  readonly whole: readonly number[]
  readonly ms: number
}

const TEXT = 'Tell me something about small boats on a wide river, please.'
const OPENED_AT_ONCE = 8
/** Less than the gateway waits before it closes an idle connection: one that it closes must not be used in that moment. */
const IDLE_MS = 2000

/** A session is said something to where the last round has left off, so that none is talked in all the time. */
let next = 0

process.on('message', (asked: Asked) => {
  answer(asked).then(
    heard => process.send?.(heard),
    (cause: unknown) => {
      console.error(cause)
      process.exit(1)
    },
  )
})
process.once('disconnect', () => process.exit())

async function answer(asked: Asked): Promise<Heard> {
  using agent = openConnections()
  const started = performance.now()
  const heard: { first: number[]; whole: number[] } = { first: [], whole: [] }
  const sessions = asked.do === 'open' ? await open(asked.urls, asked.sessions) : asked.sessions
  if (asked.do === 'saturate') {
    const until = started + asked.ms
    await Promise.all(
      Array.from({ length: asked.people }, async () => {
        while (performance.now() < until) await turn(performance.now())
      }),
    )
  }
  if (asked.do === 'pace') {
    const turns = Math.floor((asked.ms * asked.perSecond) / 1000)
    await Promise.all(
      Array.from({ length: turns }, async (_, index) => {
        // Waiting counts from when the message should have been sent.
        const at = started + (index * 1000) / asked.perSecond
        await pause(Math.max(0, at - performance.now()))
        await turn(at)
      }),
    )
  }
  return { sessions, ...heard, ms: performance.now() - started }

  async function turn(from: number): Promise<void> {
    next += 1
    const session = sessions[next % sessions.length]
    const url = asked.urls[Math.floor(next / sessions.length + next) % asked.urls.length]
    const { first, end } = await say(`${url}/api/sessions/${session}/messages`, agent)
    heard.first.push(first - from)
    heard.whole.push(end - from)
  }
}

function openConnections(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 512, timeout: IDLE_MS })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

async function open(urls: readonly string[], many: number): Promise<readonly string[]> {
  const opened: string[] = []
  let begun = 0
  const some = async (): Promise<void> => {
    for (; begun < many; ) {
      begun += 1
      const answered = await fetch(`${urls[begun % urls.length]}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      if (answered.status !== 201) throw new Error(`a session was not opened: ${await answered.text()}`)
      opened.push(((await answered.json()) as { readonly id: string }).id)
    }
  }
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, some))
  return opened
}

/** Says something and hears the answer to its end; anything but a whole answer ends the benchmark. */
function say(url: string, agent: Agent): Promise<{ readonly first: number; readonly end: number }> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      let first = 0
      let tail = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (first === 0 && chunk.includes('event: delta')) first = performance.now()
        tail = `${tail}${chunk}`.slice(-4000)
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode !== 200 || !tail.includes('"reason":"done"'))
          reject(new Error(`no answer, HTTP ${response.statusCode}: ${tail}`))
        // An answer that came all at once, with its events, has its first word with its last.
        else resolve({ first: first === 0 ? performance.now() : first, end: performance.now() })
      })
    })
    sent.on('error', cause => reject(new Error(`${sent.reusedSocket ? 'a used' : 'a new'} connection broke`, { cause })))
    sent.end(JSON.stringify({ text: TEXT }))
  })
}
