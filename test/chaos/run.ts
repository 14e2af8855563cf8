import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from '../../src/gateway/cli/command-line.ts'
import type { Event } from '../../src/model/event.ts'
import { FOLD } from '../../src/model/settings/council.ts'
import { integrityOf } from '../log/files.ts'
import { differences, effectsIn, expectedLines } from './check.ts'
import { MESSAGES, REPLIES } from './conversation.ts'
import type { Hearing } from './hearing.ts'
import { buildHouse, type House } from './house.ts'
import { type Kept, linesOf, readKept } from './kept.ts'
import { KEPT_FILE_VARIABLE, KILL_VARIABLE, type Kill, RECORD_FILE_VARIABLE } from './kill.ts'
import { createPerson } from './person.ts'
import { startProvider } from './provider.ts'

/** A promise broken on purpose, to see that somebody notices. */
export type Break = 'rerun' | 'cursor'

export type RunOptions = {
  /** Where each gateway of the run is killed, one after the other; the one after them is left alone. */
  readonly kills: readonly Kill[]
  /** The lines of a run without kills; that run itself is compared with what everybody was to say. */
  readonly plain?: readonly string[]
  readonly continuations?: number
  readonly isBroken?: Break | undefined
  /** Where compiled code is kept from one gateway to the next. */
  readonly compiled: string
}

/** What came of a run. */
export type Outcome = {
  readonly differences: readonly string[]
  readonly lines: readonly string[]
  /** The names of everything where a kill can be, in the order in which it came. */
  readonly appends: readonly string[]
  readonly frames: readonly string[]
  /** How many of the kills were reached. */
  readonly killed: number
  /** From each kill until what it had cut off was answered. */
  readonly recoveredMs: readonly number[]
  readonly events: number
}

const SPOKEN_REPLIES = Object.values(REPLIES)
  .flatMap(replies => Object.values(replies).flat())
  .filter(({ text }) => text !== '').length

const GATEWAY = fileURLToPath(new URL('./gateway.ts', import.meta.url))
/** A machine may be busy; a run that hangs is none the better for it. */
const PATIENCE_MS = 90_000
/** Checkpoints come every quarter of a second; where there is nothing to keep, none comes. */
const KEPT_MS = 3000
/** Long enough for a frame to be heard by whoever follows. */
const HEARD_MS = 15
const LOOK_EVERY_MS = 5

/** Has the conversation once, with these kills, and says what is different from how it should be. */
export async function run({ kills, plain, continuations, isBroken, compiled }: RunOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-chaos-'))
  const faults: string[] = []
  const found: Kept[] = []
  const frames: string[] = []
  const killedAt: number[] = []
  let life = 0
  let inLife = 0
  let child: ChildProcess | undefined
  const killNow = (): void => void child?.kill('SIGKILL')
  process.on('exit', killNow)
  const meantBy = (name: string, number: number): Extract<Kill, { at: 'frame' }> | undefined => {
    const kill = kills[life]
    return kill?.at === 'frame' && [name, number].includes(kill.point) ? kill : undefined
  }
  const provider = await startProvider({
    life: () => life,
    sending: (reply, frame) => {
      inLife += 1
      frames.push(`${reply} ${frame}`)
      const kill = meantBy(`${reply} ${frame}`, inLife)
      const meant = life
      if (kill?.kept === true) writeFileSync(house.keptFile, '')
      return async () => {
        if (kill === undefined) return
        await pause(kill.kept ? KEPT_MS : HEARD_MS, undefined, { ref: false })
        if (meant === life) killNow()
      }
    },
  })
  const house = buildHouse({
    ...{ folder, provider: provider.url, isBroken: isBroken === 'rerun' },
    ...(continuations === undefined ? {} : { continuations }),
  })
  const person = createPerson({ forgets: isBroken === 'cursor' })
  const late = AbortSignal.timeout(PATIENCE_MS)
  try {
    for (let talked = 'cut'; talked === 'cut'; ) {
      const kill = kills[life]
      const watcher = kill?.at === 'tool' ? holdTool(house, kill.point, killNow) : undefined
      const gateway = start(house, kill, compiled)
      child = gateway.child
      const stopped = new Promise<'late'>(resolve => late.addEventListener('abort', () => resolve('late'), { once: true }))
      const url = await Promise.race([gateway.listening, gateway.exited.then(() => undefined), stopped])
      const talk = url === undefined || url === 'late' ? url : await Promise.race([person.talk(url), stopped])
      if (talk === 'late') throw new Error(`it did not come to its end: ${wheresOf(person.hearings)} ${gateway.stderr()}`)
      talked = talk ?? 'cut'
      // One that may end by itself leaves its compiled code for all that follow; it saves each of them half of its start.
      if (talked === 'done') gateway.child.kill(kills.length === 0 ? 'SIGTERM' : 'SIGKILL')
      const ended = await Promise.race([gateway.exited, stopped])
      watcher?.stop()
      rmSync(house.keptFile, { force: true })
      if (ended !== (kills.length === 0 ? 0 : 'SIGKILL'))
        throw new Error(`the gateway ended by itself (${ended}): ${gateway.stderr()}`)
      if (gateway.stderr().includes('"msg":"bug"')) faults.push(`a bug was logged: ${gateway.stderr()}`)
      if (talked === 'done') break
      if (kill === undefined) throw new Error(`the gateway was not to die: ${gateway.stderr()}`)
      killedAt.push(performance.now())
      if (existsSync(house.database)) found.push(readKept(house.database))
      life += 1
      inLife = 0
    }
    const kept = readKept(house.database)
    const appends = existsSync(house.recordFile) ? effectsIn(house.recordFile) : []
    const remains = { kept, found, appends, killed: life, requests: provider.requests, effects: effectsIn(house.counter) }
    const hearings = Object.values(person.hearings)
    faults.push(
      ...provider.faults,
      ...hearings.flatMap(hearing => hearing.faults),
      ...differences(remains, plain ?? expectedLines()),
      ...(kills.length === 0 ? notHeard(hearings, kept) : []),
      ...heardOtherwise(
        hearings.map(({ events }) => events.map(typeAndSeq)),
        kept,
      ),
      ...(await notVerified(house, kept)),
      ...(integrityOf(house.database) === 'ok' ? [] : ['the database is damaged']),
    )
    const over = MESSAGES.map(({ key }) => person.over.get(key) ?? 0)
    return {
      ...{ differences: faults, lines: linesOf(kept), frames, killed: life, events: kept.flat().length },
      appends,
      recoveredMs: killedAt.map(at => (over.find(each => each > at) ?? at) - at),
    }
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause)
    const seen = Object.values(person.hearings).flatMap(hearing => hearing.faults)
    const all = [...faults, ...provider.faults, ...seen, words]
    return { differences: all, lines: [], appends: [], frames, killed: life, recoveredMs: [], events: 0 }
  } finally {
    killNow()
    process.off('exit', killNow)
    await provider.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

type Gateway = {
  readonly child: ChildProcess
  readonly listening: Promise<string>
  readonly exited: Promise<number | string>
  readonly stderr: () => string
}

function start(house: House, kill: Kill | undefined, compiled: string): Gateway {
  const child = spawn(process.execPath, [GATEWAY, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environmentOf(house),
      NODE_COMPILE_CACHE: compiled,
      TURNWISE_PORT: '0',
      [KEPT_FILE_VARIABLE]: house.keptFile,
      [RECORD_FILE_VARIABLE]: house.recordFile,
      ...(kill?.at === 'append' ? { [KILL_VARIABLE]: JSON.stringify(kill) } : {}),
    },
  })
  let stdout = ''
  let stderr = ''
  const listening = Promise.withResolvers<string>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    const [, url] = /listening on (http:\/\/\S+)/.exec(stdout) ?? []
    if (url !== undefined) listening.resolve(url)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<number | string>(resolve => child.on('close', (code, signal) => resolve(signal ?? code ?? '')))
  return { child, listening: listening.promise, exited, stderr: () => stderr }
}

const environmentOf = ({ home, binaries }: House): Record<string, string> => ({
  PATH: [binaries, process.env.PATH].join(delimiter),
  HOME: home,
  TURNWISE_HOME: home,
})

/** Holds a tool at a point of its run, and lets go of it when its gateway is killed. */
function holdTool(house: House, point: string, killNow: () => void): { readonly stop: () => void } {
  const hold = house.holdFile(point)
  writeFileSync(hold, '')
  const before = effectsIn(house.trace).filter(line => line === point).length
  const timer = setInterval(() => {
    if (effectsIn(house.trace).filter(line => line === point).length > before) killNow()
  }, LOOK_EVERY_MS)
  return {
    stop: () => {
      clearInterval(timer)
      rmSync(hold, { force: true })
    },
  }
}

type Seen = { readonly type: string; readonly seq: number }

const typeAndSeq = ({ type, seq }: Seen): string => `${seq} ${type}`

/** Whoever is there all the time hears each reply word by word, also those that are summaries. */
function notHeard(hearings: readonly Hearing[], kept: Kept): readonly string[] {
  const summaries = kept.flat().filter(event => event.type === 'history.folded' && event.turn !== undefined).length
  const heard = hearings.reduce((sum, hearing) => sum + hearing.compared(), 0)
  const all = SPOKEN_REPLIES + summaries
  return heard === all ? [] : [`of ${all} replies ${heard} were heard word by word`]
}

/** Whoever follows hears what is in the log, and nothing else; a summary may be made after the last answer was heard. */
function heardOtherwise(heard: readonly (readonly string[])[], kept: Kept): readonly string[] {
  const same = (session: readonly string[], events: Kept[number]): boolean => {
    const after = events.slice(session.length)
    const folding = new Set(after.flatMap(event => (event.type === 'turn.started' && event.voice === FOLD ? [event.turn] : [])))
    const isLate = (event: Event): boolean =>
      event.type === 'history.folded' || ('turn' in event && event.turn !== undefined && folding.has(event.turn))
    return (
      session.every((text, index) => events[index] !== undefined && text === typeAndSeq(events[index])) && after.every(isLate)
    )
  }
  const texts = kept.map(events => events.map(typeAndSeq).join(', '))
  return heard.flatMap(session =>
    kept.some(events => same(session, events)) ? [] : [`heard ${session.join(', ')}; kept ${texts.join('; ')}`],
  )
}

const wheresOf = (hearings: Readonly<Record<string, { readonly events: readonly Seen[] }>>): string =>
  Object.entries(hearings)
    .map(([name, { events }]) => `${name} at ${events.map(typeAndSeq).at(-1) ?? 'its beginning'}`)
    .join(', ')

/** `turnwise verify`, as an operator would run it. */
async function notVerified(house: House, kept: Kept): Promise<readonly string[]> {
  let said = ''
  const stream = (): NodeJS.WriteStream =>
    new Writable({
      write: (chunk, _, done) => {
        said += String(chunk)
        done()
      },
    }) as NodeJS.WriteStream
  const code = await runCommandLine({
    ...{ argv: ['verify', '--all', '--json'], environment: environmentOf(house) },
    ...{ stdin: process.stdin, stdout: stream(), stderr: stream() },
  })
  const planned = kept.flat().filter(({ type }) => type === 'context.planned').length
  const isSound = code === 0 && JSON.parse(said).identical === planned
  return isSound ? [] : [`verify, of ${planned} requests: ${said.trim()}`]
}
