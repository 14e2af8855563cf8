import { createEngine, type Engine, type Log, type Signal, sqliteLog, weigh } from '../src/index.ts'
import type { EndReason } from '../src/model/event.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Council } from '../src/model/settings/council.ts'
import type { VoiceId } from '../src/model/voice.ts'
import type { Kind, Member } from './council-cast.ts'
import type { Stand } from './council-stand.ts'
import { sure } from './measure.ts'

/** An engine in which councils of these members talk, with a log on the disk. */
export type House = {
  /** A conversation that begins anew after so many rounds. */
  readonly talk: (wanted: Wanted) => Talk
  readonly close: () => Promise<void>
}

export type Wanted = {
  /** Whose first deltas are measured. */
  readonly good: readonly Member[]
  readonly beside: readonly Member[]
  readonly rounds: number
}

export type Talk = {
  /** One round, to its very end: for each of the good ones, the time from when the message was safe to its first delta. */
  readonly round: () => Promise<Readonly<Record<VoiceId, number>>>
  /** How many messages of its own each of the good ones was sent in the last round of a conversation. */
  readonly sent: () => Readonly<Record<VoiceId, number>>
}

/** How a turn of each kind has to end; a bad neighbour that was not bad would prove nothing. */
const ENDS: Readonly<Record<Kind, EndReason>> = {
  good: 'done',
  later: 'done',
  slow: 'done',
  talker: 'done',
  '500': 'failed',
  '401': 'failed',
  silent: 'cancelled',
}
const TEXT = 'We could buy the second boat now, or wait until the loan for the first one is paid back. What would you do?'

export async function openHouse(file: string, { providers, modelOf }: Stand): Promise<House> {
  const stored = sure(await sqliteLog({ file, clock: Date.now, weigh }))
  let admittedAt = 0
  /** The moment a message is safe, seen where it is first known. */
  const log: Log = {
    ...stored,
    append: async (session, facts, options) => {
      const appended = await stored.append(session, facts, options)
      if (facts[0]?.type === 'message.received') admittedAt = performance.now()
      return appended
    },
  }
  const councils = new Map<string, Council>()
  const engine = createEngine({
    log,
    providers,
    councils: () => [...councils.values()],
    // On a busy machine a history may be late; then that is what is measured, and nobody answers without it.
    limits: { historyMs: 10_000 },
    observe: seen => {
      if (seen.type === 'bug') throw seen.cause
      if (seen.type === 'planned' && seen.receipt.degraded !== null) throw new Error('a context was not read in time')
    },
  })

  const talk = ({ good, beside, rounds }: Wanted): Talk => {
    // Whoever is asked first has a start: let it be the bad ones.
    const members = [...beside, ...good]
    const council = councilOf(`council-${councils.size + 1}`, members, modelOf)
    councils.set(council.key, council)
    let held: { readonly session: SessionId; readonly reader: Reader; rounds: number } | undefined
    let sent: Readonly<Record<VoiceId, number>> = {}
    return {
      sent: () => sent,
      round: async () => {
        const current = held ?? { ...(await begun(engine, council)), rounds: 0 }
        held = current
        const { session, reader } = current
        const heard = reader.expect(members)
        sure(await engine.say({ session, text: TEXT, from: 'person' }))
        const admitted = admittedAt
        await heard.ended(({ kind }) => kind !== 'silent')
        // A person stops whoever never answers.
        if (members.some(({ kind }) => kind === 'silent')) sure(await engine.cancel(session))
        await heard.ended(() => true)
        current.rounds += 1
        if (current.rounds === rounds) {
          sent = await sentTo(engine, session, heard.turns(good))
          reader.stop()
          held = undefined
        }
        return Object.fromEntries(good.map(({ id }) => [id, heard.firstAt(id) - admitted]))
      },
    }
  }
  return { talk, close: () => engine.close() }
}

const councilOf = (key: string, members: readonly Member[], modelOf: Stand['modelOf']): Council => ({
  key,
  name: key,
  advisors: members.map(member => ({
    id: member.id,
    name: member.id,
    description: 'You look at everything from the harbour, and you say what others leave out.',
    color: '#0072b2',
    active: true,
    model: modelOf(member),
  })),
  references: 'last-round',
  early: { turns: 0 },
})

/** One round as a reader hears it. */
type Heard = {
  readonly ended: (wanted: (member: Member) => boolean) => Promise<void>
  readonly firstAt: (voice: VoiceId) => number
  readonly turns: (members: readonly Member[]) => ReadonlyMap<VoiceId, TurnId>
}

type Reader = { readonly expect: (members: readonly Member[]) => Heard; readonly stop: () => void }

/** One reader follows the session all the time, as a page does. */
async function begun(engine: Engine, { key }: Council): Promise<{ readonly session: SessionId; readonly reader: Reader }> {
  const { id } = sure(await engine.open({ council: key }))
  const reading = new AbortController()
  let hear: (signal: Signal) => void = () => {}
  const read = async (): Promise<void> => {
    for await (const signal of engine.follow(id, 0, reading.signal)) hear(signal)
  }
  read().catch(cause => {
    throw cause
  })
  const expect = (members: readonly Member[]): Heard => {
    const heard = roundOf(members)
    hear = heard.hear
    return heard
  }
  return { session: id, reader: { expect, stop: () => reading.abort() } }
}

function roundOf(members: readonly Member[]): Heard & { readonly hear: (signal: Signal) => void } {
  const started = new Map<VoiceId, TurnId>()
  const firsts = new Map<TurnId, number>()
  const ended = new Set<VoiceId>()
  let changed = (): void => {}
  const hear = (signal: Signal): void => {
    if (signal.type === 'fault') throw new Error(signal.fault.message)
    if (signal.type === 'delta' && !firsts.has(signal.delta.turn)) firsts.set(signal.delta.turn, performance.now())
    if (signal.type !== 'event') return
    if (signal.event.type === 'turn.started') started.set(signal.event.voice, signal.event.turn)
    if (signal.event.type !== 'turn.ended') return
    const { voice, reason, fault } = signal.event
    const kind = members.find(({ id }) => id === voice)?.kind
    if (kind === undefined || ENDS[kind] !== reason) throw new Error(`${voice} ended: ${reason}, ${fault?.message}`)
    ended.add(voice)
    changed()
  }
  return {
    hear,
    ended: wanted =>
      new Promise(resolve => {
        changed = () => {
          if (members.every(member => !wanted(member) || ended.has(member.id))) resolve()
        }
        changed()
      }),
    firstAt: voice => firsts.get(started.get(voice) ?? ('' as TurnId)) ?? Number.NaN,
    turns: wanted => new Map(wanted.flatMap(({ id }) => (started.has(id) ? [[id, started.get(id) as TurnId]] : []))),
  }
}

type Body = { readonly messages: readonly { readonly role: string }[] }

/** Counted in the bytes that were sent. */
async function sentTo(
  engine: Engine,
  session: SessionId,
  turns: ReadonlyMap<VoiceId, TurnId>,
): Promise<Readonly<Record<VoiceId, number>>> {
  const found = [...turns].map(async ([voice, turn]) => {
    const { request } = sure(await engine.asSent(session, turn, undefined, { whole: true }))
    const { messages } = (request?.body ?? { messages: [] }) as Body
    return [voice, messages.filter(({ role }) => role === 'assistant').length] as const
  })
  return Object.fromEntries(await Promise.all(found))
}
