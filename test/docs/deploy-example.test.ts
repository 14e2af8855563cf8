// Holds examples/deploy to the truth: compose.yaml against the program and the Dockerfile, and the proxy's file by running it.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { nodeSettingsIn } from '../../src/gateway/workspace/settings.ts'
import { spawnGateway, temporary } from '../gateway/http/child.ts'
import { type Frame, idsOf, isEvent, readFrames } from '../gateway/http/frames.ts'
import { freePort } from '../support/free-port.ts'
import { postgresUrl, whyNoPostgres } from '../support/postgres.ts'

const FOLDER = 'examples/deploy'
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

type Health = { readonly test: readonly string[]; readonly interval: string; readonly retries: number }
type Service = {
  readonly image?: string
  readonly build?: string
  readonly restart?: string
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: Health
}
type Compose = { readonly services: Readonly<Record<string, Service>>; readonly volumes: Readonly<Record<string, unknown>> }

const compose = parse(read('compose.yaml'), { merge: true }) as Compose
const DOCKERFILE = readFileSync('Dockerfile', 'utf8')
const gateways = Object.entries(compose.services).filter(([name]) => name.startsWith('gateway-'))
const service = (name: string): Service => compose.services[name] ?? assert.fail(`there is no ${name}`)

/** `${NAME}`, `${NAME:-default}` and `${NAME:?reason}`, as Compose fills them in. */
const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(VARIABLE, (_, name: string, kind?: string, rest?: string) => {
    const value = values[name]
    if (value !== undefined && value !== '') return value
    return kind === '-' ? (rest ?? '') : assert.fail(`${name}: ${rest ?? 'not set'}`)
  })

/** The lines of `.env.example`, in order, with secrets in the places that a person fills in. */
function exampleEnvironment(): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const [, name = '', value = ''] of read('.env.example').matchAll(/^(\w+)=(.*)$/gm))
    values[name] = value === '' ? `0123456789abcdef${name.toLowerCase().replaceAll('_', '')}` : filled(value, values)
  return values
}

test('three gateways from this repository, a database and a proxy, each started again when it ends', () => {
  assert.equal(gateways.length, 3)
  for (const [name, { build, restart }] of gateways) {
    assert.equal(resolve(FOLDER, build ?? ''), resolve('.'), name)
    assert.equal(restart, 'unless-stopped')
  }
  for (const name of ['postgres', 'proxy']) assert.equal(service(name).restart, 'unless-stopped')
  const [, postgresVersion] = /^postgres:(\d+)$/.exec(service('postgres').image ?? '') ?? []
  assert.ok(Number(postgresVersion) >= 15)
})

test('the image has what a gateway on PostgreSQL needs', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  assert.ok(dependencies.pg !== undefined, 'the driver stays when the image leaves out what is only for development')
  for (const [, path = ''] of DOCKERFILE.matchAll(/^COPY --from=build \/app\/(\S+) /gm))
    assert.ok(/^(node_modules|dist|web\/dist)$/.test(path) || existsSync(path), path)
})

test('a gateway gets variables that the program reads, and nothing secret stands in the file', () => {
  const sources = globSync('src/**/*.ts')
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const example = exampleEnvironment()
  for (const [name, { environment = {} }] of gateways) {
    assert.ok(
      ['TURNWISE_STORE', 'TURNWISE_TOKEN', 'TURNWISE_SECRET', 'TURNWISE_HOSTS'].every(each => each in environment),
      name,
    )
    for (const variable of Object.keys(environment)) assert.ok(sources.includes(variable), `no program reads ${variable}`)
  }
  for (const { environment = {} } of Object.values(compose.services))
    for (const [variable, value] of Object.entries(environment)) {
      if (/STORE|TOKEN|SECRET|PASSWORD/.test(variable)) assert.match(value, /^\$\{\w+:\?[^}]+\}$/, `${variable} comes from .env`)
      assert.doesNotThrow(() => filled(value, example), variable)
    }
  const named = [...read('compose.yaml').matchAll(VARIABLE)].map(([, name]) => name ?? '')
  const used = [...named, ...[...read('.env.example').matchAll(VARIABLE)].map(([, name]) => name ?? '')]
  assert.deepEqual([...new Set(used)].sort(), Object.keys(example).sort(), '.env.example has what is used, and no more')
  for (const [, name, value = ''] of read('.env.example').matchAll(/^(\w*(?:TOKEN|SECRET|PASSWORD))=(.*)$/gm))
    assert.equal(value, '', `${name} is empty`)
  const ignored = execFileSync('git', ['check-ignore', `${FOLDER}/.env`], { encoding: 'utf8' })
  assert.equal(ignored.trim(), `${FOLDER}/.env`)
  assert.match(readFileSync('.dockerignore', 'utf8'), /^\*\*\/\.env$/m)
})

test('the addresses fit: database, ports, paths, volumes', () => {
  const { POSTGRES_USER, POSTGRES_DB } = service('postgres').environment ?? {}
  const store = new URL(exampleEnvironment().TURNWISE_STORE ?? '')
  assert.deepEqual(
    [store.username, store.hostname, store.port, store.pathname],
    [POSTGRES_USER, 'postgres', '5432', `/${POSTGRES_DB}`],
  )
  assert.equal(store.password, exampleEnvironment().POSTGRES_PASSWORD)

  const [, port = ''] = /^EXPOSE (\d+)$/m.exec(DOCKERFILE) ?? []
  const servers = [...read('haproxy.cfg').matchAll(/^ {2}server (\S+) ([^:\s]+):(\d+)$/gm)].map(([, ...parts]) => parts)
  assert.deepEqual(
    servers,
    gateways.map(([name]) => [name, name, port]),
  )
  const [, bound = ''] = /^ {2}bind :(\d+)$/m.exec(read('haproxy.cfg')) ?? []
  assert.deepEqual(service('proxy').ports, [`\${PUBLISH:-127.0.0.1}:${bound}:${bound}`])

  const [, home = ''] = /TURNWISE_HOME=(\S+)/.exec(DOCKERFILE) ?? []
  for (const [name, { volumes = [] }] of gateways)
    assert.deepEqual(volumes, [`workspace:${home}`, `./turnwise.json:${home}/turnwise.json:ro`], name)
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map(each => each.split(':')[0] ?? ''))
  for (const place of mounted)
    if (place.startsWith('./')) assert.ok(statSync(join(FOLDER, place)).isFile(), place)
    else assert.ok(place in compose.volumes, `${place} is a volume of its own`)
  assert.ok(
    service('postgres').volumes?.some(each => each === 'database:/var/lib/postgresql/data'),
    'the database outlives its container',
  )
  assert.ok(nodeSettingsIn(read('turnwise.json')).ok)
})

test('every container waits for what it needs, and is looked at', () => {
  for (const [name, { depends_on, healthcheck }] of gateways) {
    assert.deepEqual(depends_on, { postgres: { condition: 'service_healthy' } }, name)
    const [, , , script = ''] = healthcheck?.test ?? []
    // The same program as in the Dockerfile, as one container of it is looked at.
    assert.ok(DOCKERFILE.includes(JSON.stringify(script)), script)
  }
  assert.deepEqual(
    service('proxy').depends_on,
    gateways.map(([name]) => name),
  )
  const { POSTGRES_USER = '', POSTGRES_DB = '' } = service('postgres').environment ?? {}
  assert.deepEqual(service('postgres').healthcheck?.test, ['CMD', 'pg_isready', '-U', POSTGRES_USER, '-d', POSTGRES_DB])
})

const whyNoProxy = (): string | undefined => {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no haproxy on this machine ("apt-get install haproxy" brings one)'
  }
}
const skip = whyNoProxy() ?? (await whyNoPostgres()) ?? false

type Running = { readonly url: string; readonly token: string; readonly kill: (gateway: string) => void }

/** Gateways with the environment of compose.yaml, behind haproxy.cfg; only addresses are others. */
async function deployed(t: TestContext): Promise<Running> {
  const values: Readonly<Record<string, string>> = { ...exampleEnvironment(), TURNWISE_STORE: await postgresUrl(t) }
  const started = gateways.map(([name, { environment = {} }]) => {
    const home = temporary(t)
    writeFileSync(join(home, 'turnwise.json'), read('turnwise.json'))
    const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(value, values)]))
    const own = { OLLAMA_HOST: '127.0.0.1:9', TURNWISE_DEMO_DELAY_MS: '75', TURNWISE_LEASE_MS: '2000' }
    return { name, child: spawnGateway(t, { home, environment: { ...given, ...own, TURNWISE_HOST: '0.0.0.0' } }) }
  })
  const port = await freePort()
  let config = read('haproxy.cfg').replace('bind :4242', `bind 127.0.0.1:${port}`)
  for (const { name, child } of started)
    config = config.replace(`${name}:4242`, `127.0.0.1:${new URL(await child.listening).port}`)
  const file = join(temporary(t), 'haproxy.cfg')
  writeFileSync(file, config)
  const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(async () => {
    proxy.kill('SIGKILL')
    if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
  })
  const url = `http://localhost:${port}`
  await answering(url, proxy)
  return {
    url,
    token: values.TURNWISE_TOKEN ?? '',
    kill: gateway => {
      const found = started.find(({ name }) => name === gateway)
      assert.ok(found !== undefined, gateway)
      found.child.kill('SIGKILL')
    },
  }
}

async function answering(url: string, proxy: ChildProcess): Promise<void> {
  let complaints = ''
  proxy.stderr?.on('data', (text: Buffer) => {
    complaints += text
  })
  for (;;) {
    assert.equal(proxy.exitCode, null, complaints)
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    if (answer?.status === 200) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

test('behind the proxy a reply streams frame by frame, and its gateway may be killed in the middle', { skip }, async t => {
  const { url, token, kill } = await deployed(t)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin: url }
  const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, { ...options, headers: { ...headers, ...options.headers } })
  const post = (path: string, body: unknown, more: Record<string, string> = {}): Promise<Response> =>
    ask(path, { method: 'POST', body: JSON.stringify(body), headers: more })

  const opened = await post('/api/sessions', {})
  assert.equal(opened.status, 201, 'a page of the name in .env may call')
  const { id } = (await opened.json()) as { id: string }
  const events = async (): Promise<readonly { type: string; seq: number }[]> =>
    ((await (await ask(`/api/sessions/${id}/events`)).json()) as { items: { type: string; seq: number }[] }).items

  const said = await post(`/api/sessions/${id}/messages`, { text: 'say 40 words' }, { accept: 'text/event-stream' })
  const gateway = said.headers.get('x-turnwise-gateway') ?? ''
  const stream = readFrames(said)
  const heard = await stream.until(isEvent('delta'))
  // A proxy that gathers an answer, whole or in parts of some kilobytes, would have given no delta before the turn has ended.
  assert.ok(!(await events()).some(({ type }) => type === 'turn.ended'))
  kill(gateway)
  try {
    heard.push(...(await stream.rest()))
  } catch {
    // The connection broke with its gateway.
  }

  const others = await Promise.all(Array.from({ length: 6 }, () => post('/api/sessions', {}, { 'idempotency-key': 'any' })))
  assert.deepEqual(
    others.map(({ status }) => status),
    Array.from({ length: 6 }, () => 201),
  )
  assert.ok(others.every(answer => answer.headers.get('x-turnwise-gateway') !== gateway))

  const last = String(idsOf(heard).at(-1) ?? 0)
  const follow = await ask(`/api/sessions/${id}/events`, { headers: { accept: 'text/event-stream', 'last-event-id': last } })
  const ended = await readFrames(follow).until(({ event, data }) => event === 'turn.ended' && data.reason === 'done')
  const all: Frame[] = [...heard, ...ended]
  assert.deepEqual(
    idsOf(all),
    (await events()).map(({ seq }) => seq),
    'every event once',
  )
  const words = ended.flatMap(({ event, data }) => (event === 'reply.finished' ? data.parts : []))
  assert.ok(words.length > 0, 'another gateway went on with the reply')

  // Gateways see the address of the proxy alone, so it is the proxy that stops a client which guesses.
  const guesses: number[] = []
  for (let guess = 0; guess < 15; guess += 1)
    guesses.push((await ask('/api/sessions', { headers: { authorization: 'Bearer wrong' } })).status)
  assert.deepEqual([guesses[0], guesses.at(-1)], [401, 429])
  assert.equal(await statusFrom('127.0.0.2', url, token), 200, 'others are let in')
  assert.equal(await statusFrom('127.0.0.1', url, token), 429)
})

/** Asks with the right token, as a client with this address. */
async function statusFrom(localAddress: string, url: string, token: string): Promise<number> {
  const asked = request(`${url.replace('localhost', '127.0.0.1')}/api/sessions`, {
    localAddress,
    headers: { authorization: `Bearer ${token}` },
  })
  const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}
