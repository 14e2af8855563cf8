// How fast the deltas of a reply come in: through a vendor's own client, through ours, and through a whole turn, from one
// server that has its reply ready; beside them, what it takes to receive the bytes and look at none.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, Agent as KeepAlive } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createEngine, type Engine, memoryLog, weigh } from '../src/index.ts'
import type { Provider, ProviderSetting } from '../src/model/provider.ts'
import { createClient } from '../src/provider/transport/client.ts'
import { type Case, markdown, measure, type Row, ratioOf, report, scaleOf, sure, timed, type View } from './measure.ts'
import { ASKED, type Hear, SERVICES, type Service } from './wire-services.ts'

/** A service's reply, cut in one way. */
type Stream = { readonly name: string; readonly service: Service; readonly framesPerWrite: number }
type Contender = 'bytes alone' | 'SDK' | 'ours' | 'through a turn'

const SERVER = fileURLToPath(new URL('./wire-server.ts', import.meta.url))
const COMPARED: readonly (readonly [Contender, Contender])[] = [
  ['ours', 'SDK'],
  ['through a turn', 'SDK'],
  ['through a turn', 'ours'],
]
const STREAMS: readonly Stream[] = [16, 1].flatMap(framesPerWrite =>
  SERVICES.map(service => ({
    name: `${service.name}, ${framesPerWrite === 1 ? '1 frame' : `${framesPerWrite} frames`} a write`,
    service,
    framesPerWrite,
  })),
)

const asked = scaleOf(process.argv)
/** A go is a whole reply, which has deltas enough. */
const scale = { ...asked, goes: asked.quick ? 1 : 2 }
const deltas = asked.quick ? 500 : 20_000

const view: View = {
  ratios: rows =>
    STREAMS.flatMap(stream =>
      COMPARED.map(([one, other]) => ({
        what: `${stream.name}: ${one} ÷ ${other}`,
        // Of deltas per second, so the other's milliseconds are the ones to be divided.
        ...ratioOf(rowOf(rows, stream, other), rowOf(rows, stream, one)),
      })),
    ),
  table: ({ rows, ratios }) => {
    const compared = STREAMS.map(({ name }) => [
      name,
      ...COMPARED.map(([one, other]) => ratios.find(({ what }) => what === `${name}: ${one} ÷ ${other}`)?.p50.toFixed(2) ?? ''),
    ])
    const shown = rows.map(({ what, p50, p99, perSecond }) => [
      what,
      p50.toFixed(1),
      p99.toFixed(1),
      perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en'),
    ])
    return [
      ...markdown(['deltas per second', ...COMPARED.map(pair => pair.join(' ÷ '))], compared),
      '',
      ...markdown([`a reply of ${deltas.toLocaleString('en')} deltas`, 'p50 ms', 'p99 ms', 'deltas per second'], shown),
    ]
  },
}

await report('wire', scale, measured, view)

async function measured(): Promise<readonly Row[]> {
  const server = fork(SERVER, [`${deltas}`])
  const [port] = (await once(server, 'message')) as [number]
  const open = STREAMS.map(stream => openContenders(stream, `http://127.0.0.1:${port}/${stream.framesPerWrite}`))
  const rows = await measure(
    open.flatMap(({ cases }) => cases),
    scale,
  )
  for (const { close } of open) await close()
  // What it used is known once it has ended.
  server.kill()
  await once(server, 'exit')
  return rows
}

type Opened = { readonly cases: readonly Case[]; readonly close: () => Promise<void> }

function openContenders({ name, service }: Stream, url: string): Opened {
  const baseURL = `${url}${service.base}`
  const setting: ProviderSetting = { apiKey: 'sk-fake', baseURL }
  const connections = new KeepAlive({ keepAlive: true })
  const provider = createClient({ ...service, setting, needsKey: false })
  const engine = createEngine({
    log: memoryLog({ clock: Date.now, weigh }),
    providers: { [service.name]: setting },
    model: `${service.name}/${ASKED.model}`,
    // With its window known, a server is not asked what its model can do.
    models: { [`${service.name}/${ASKED.model}`]: { window: 32_768 } },
    policy: 'recent',
  })
  return {
    cases: [
      {
        messages: 0,
        once: async () => ({ [`${name}: bytes alone`]: await timed(() => received(`${baseURL}${service.path}`, connections)) }),
      },
      hearing(`${name}: SDK`, service.sdk(baseURL)),
      hearing(`${name}: ours`, () => spoken(provider, service.path)),
      hearing(`${name}: through a turn`, () => followed(engine)),
    ],
    close: async () => {
      connections.destroy()
      provider.close?.()
      await engine.close()
    },
  }
}

/** A reply that was not heard whole would be quick and worthless. */
function hearing(what: string, hear: Hear): Case {
  return {
    messages: 0,
    counts: what,
    deltas,
    once: async () => {
      let heard = 0
      const ms = await timed(async () => {
        heard = await hear()
      })
      if (heard !== deltas) throw new Error(`${what}: ${heard} deltas of ${deltas} were heard`)
      return { [what]: ms }
    },
  }
}

async function spoken({ speak }: Provider, path: string): Promise<number> {
  let heard = 0
  const request = { url: path, body: JSON.stringify({ ...ASKED, stream: true }) }
  for await (const delta of speak(request, new AbortController().signal)) {
    if (delta.type === 'text' && delta.text !== '') heard += 1
    if (delta.type === 'fault' || delta.type === 'retrying') throw new Error(delta.fault.message)
  }
  return heard
}

/** A session of its own for each turn, so that none grows long; one reader follows it, as a page does. */
async function followed(engine: Engine): Promise<number> {
  const { id } = sure(await engine.open({}))
  const reading = new AbortController()
  const signals = engine.follow(id, 0, reading.signal)
  sure(await engine.say({ session: id, text: ASKED.messages[0].content, from: 'person' }))
  let heard = 0
  for await (const signal of signals) {
    if (signal.type === 'delta') heard += 1
    if (signal.type === 'fault') throw new Error(signal.fault.message)
    if (signal.type === 'notice' && signal.notice.kind === 'retrying') throw new Error(signal.notice.message)
    if (signal.type !== 'event' || signal.event.type !== 'turn.ended') continue
    if (signal.event.reason !== 'done') throw new Error(`the turn ended: ${signal.event.fault?.message}`)
    break
  }
  reading.abort()
  sure(await engine.remove(id))
  return heard
}

function received(url: string, connections: KeepAlive): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', agent: connections }, response => {
      response.on('end', resolve)
      response.resume()
    })
    sent.on('error', reject)
    sent.end('{}')
  })
}

function rowOf(rows: readonly Row[], { name }: Stream, contender: Contender): Row {
  const found = rows.find(({ what }) => what === `${name}: ${contender}`)
  if (found === undefined) throw new Error(`${name}: ${contender} was not measured`)
  return found
}
