import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { weigh } from '../src/context/text/tokens.ts'
import type { Past } from '../src/log/ports.ts'
import type { Call, Event, Fact, Part } from '../src/model/event.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Material, ToolSpec } from '../src/model/plan.ts'
import type { WindowState } from '../src/model/receipt.ts'
import type { VoiceId } from '../src/model/voice.ts'

/** A whole session as the log has it, with what stands before it in every request. */
export type Conversation = {
  readonly name: string
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly events: readonly Event[]
}

/** A request that was made in a conversation: everything before `reply` was known, and `reply` is what came of it. */
export type Asked = {
  readonly reply: Extract<Event, { type: 'reply.finished' }>
  readonly voice: VoiceId
  readonly turn: Material['turn']
}

/** A message as chat libraries keep it: one list of what each side said, calls and results among it. */
export type Spoken =
  | { readonly role: 'user'; readonly seq: number; readonly text: string }
  | { readonly role: 'assistant'; readonly seq: number; readonly text: string; readonly calls: readonly Call[] }
  | { readonly role: 'tool'; readonly seq: number; readonly call: string; readonly tool: string; readonly text: string }

export type Used = { readonly tool: string; readonly args: unknown; readonly result: string }
export type Step = { readonly text: string; readonly calls: readonly Used[] }
/** `heard` is null where another voice answers what was just said. */
export type Turn = { readonly heard: string | null; readonly voice: VoiceId; readonly steps: readonly Step[] }
export type House = Pick<Conversation, 'system' | 'tools'>

const SESSION = 'ses_bench' as SessionId
export const VOICE: VoiceId = 'assistant'
/** The day on which every conversation takes place. */
const NOON = Date.UTC(2026, 0, 1, 12)

/** Every request of a conversation, step by step. */
export function askedOf({ events }: Conversation): readonly Asked[] {
  const started = new Map<TurnId, Extract<Event, { type: 'turn.started' }>>()
  const ordinals = new Map<VoiceId, number>()
  return events.flatMap(event => {
    if (event.type === 'turn.started') {
      started.set(event.turn, event)
      ordinals.set(event.voice, (ordinals.get(event.voice) ?? 0) + 1)
    }
    const own = event.type === 'reply.finished' ? started.get(event.turn) : undefined
    if (event.type !== 'reply.finished' || own === undefined) return []
    const turn = { id: event.turn, step: event.step, cause: own.cause, ordinal: ordinals.get(own.voice) ?? 1 }
    return [{ reply: event, voice: own.voice, turn }]
  })
}

/** All that assembly may know when this request is made; `last` is what the voice's request before it showed. */
export function materialOf(conversation: Conversation, { reply, voice, turn }: Asked, last: WindowState | undefined): Material {
  const { system, tools, events } = conversation
  const own = voice === VOICE ? system : `${system}\n\nYou are ${voice}.`
  return {
    session: SESSION,
    voice,
    // Windows are held by the policies, never by the model.
    model: { name: 'anthropic/bench', window: 2_000_000, factor: 1 },
    thinking: false,
    turn,
    through: reply.seq - 1,
    events: events.slice(0, reply.seq - 1),
    gaps: [],
    begins: last?.begins ?? null,
    ...(last === undefined ? {} : { last }),
    marksThrough: reply.seq - 1,
    voices: {},
    system: [{ source: 'agent', reason: 'system.agent', text: own }],
    tools,
    asides: [],
    degraded: null,
  }
}

/** What was said, as one list of messages. */
export function spokenOf({ events }: Pick<Past, 'events'>): readonly Spoken[] {
  return events.flatMap((event): Spoken[] => {
    if (event.type === 'message.received') return [{ role: 'user', seq: event.seq, text: event.text }]
    if (event.type === 'tool.settled')
      return [{ role: 'tool', seq: event.seq, call: event.call, tool: event.tool, text: event.outcome }]
    if (event.type !== 'reply.finished') return []
    const text = event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
    return [{ role: 'assistant', seq: event.seq, text, calls: event.parts.filter(part => part.type === 'call') }]
  })
}

/** What the messages of a conversation weigh, without what stands before them. */
export const lengthOf = ({ events }: Conversation): number => events.reduce((sum, { tokens }) => sum + tokens, 0)

/** Messages as a person counts them: received, or a turn's whole answer. */
export const messagesIn = ({ events }: Conversation): number => events.reduce((sum, event) => sum + weigh(event).messages, 0)

/** Turns as the events of one session. */
export function conversationOf(name: string, { system, tools }: House, turns: readonly Turn[]): Conversation {
  const facts: Fact[] = []
  let cause = 0
  let calls = 0
  for (const [index, { heard, voice, steps }] of turns.entries()) {
    const turn = `trn_${index + 1}` as TurnId
    if (heard !== null) cause = facts.push({ type: 'message.received', text: heard, from: 'person' })
    facts.push({ type: 'turn.started', turn, voice, cause })
    for (const [at, { text, calls: used }] of steps.entries()) {
      // Recorded call ids repeat, which strict providers refuse whatever the window; here each call has its own.
      const named = used.map(each => {
        calls += 1
        return { ...each, call: `call_${calls}` }
      })
      const asked = named.map(({ call, tool, args }): Part => ({ type: 'call', call, tool, args }))
      facts.push({
        type: 'reply.finished',
        turn,
        step: at + 1,
        parts: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...asked],
      })
      for (const { call, tool, args, result } of named) {
        facts.push({ type: 'tool.started', turn, call, tool, args })
        facts.push({ type: 'tool.settled', turn, call, tool, ok: true, outcome: result, ms: 1 })
      }
    }
    facts.push({ type: 'turn.ended', turn, voice, reason: 'done' })
  }
  const events = facts.map((fact, index): Event => {
    const at = new Date(NOON + index * 1000).toISOString()
    return { ...fact, session: SESSION, seq: index + 1, at, tokens: weigh(fact).tokens }
  })
  return { name, system, tools, events }
}

type Recorded =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly tool_calls?: readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string }

type Trajectory = { readonly turns: readonly Turn[]; readonly system: string }

const RECORDINGS = 'shared/data/tau-bench/gpt-4o-airline.json'

/** Recorded conversations: from the file that was named, or from where they lie beside the project; null if nowhere. */
export function recordings(given: string | undefined): Recordings | null {
  const root = join(import.meta.dirname, '..')
  const file = given ?? [join(root, '..', RECORDINGS), join(root, RECORDINGS)].find(existsSync)
  if (file === undefined) return null
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly traj: readonly Recorded[] }[]
  const trajectories = recorded.map(({ traj }) => trajectoryOf(traj)).filter(({ turns }) => turns.length > 0)
  const house = { system: trajectories[0]?.system ?? '', tools: toolsUsed(trajectories.flatMap(({ turns }) => turns)) }
  return {
    single: trajectories.map(({ turns }, index) => conversationOf(`recorded ${index + 1}`, house, turns)),
    joined: tokens => joined(house, trajectories, tokens),
  }
}

export type Recordings = {
  /** Each as it was. */
  readonly single: readonly Conversation[]
  /** One after the other in one session, as at a desk that many people come to, until each session has this many tokens. */
  readonly joined: (tokens: number) => readonly Conversation[]
}

/** A turn ends where the assistant leaves the word to the person; a last message that nobody answered asks for nothing. */
function trajectoryOf(messages: readonly Recorded[]): Trajectory {
  const turns: { heard: string; voice: VoiceId; steps: Step[] }[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') turns.push({ heard: message.content, voice: VOICE, steps: [] })
    if (message.role !== 'assistant') continue
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }): Used => {
      const settled = messages.slice(index).find(each => each.role === 'tool' && each.tool_call_id === id)
      return { tool: name, args: JSON.parse(args), result: settled?.content ?? '' }
    })
    turns.at(-1)?.steps.push({ text: message.content ?? '', calls })
  }
  const system = messages.find(({ role }) => role === 'system')?.content ?? ''
  return { system, turns: turns.filter(({ steps }) => steps.length > 0) }
}

function joined(house: House, trajectories: readonly Trajectory[], tokens: number): readonly Conversation[] {
  const sessions: Conversation[] = []
  let turns: Turn[] = []
  let length = 0
  for (const trajectory of trajectories) {
    turns = [...turns, ...trajectory.turns]
    length += lengthOf(conversationOf('', house, trajectory.turns))
    if (length < tokens) continue
    sessions.push(conversationOf(`joined ${sessions.length + 1}`, house, turns))
    turns = []
    length = 0
  }
  return sessions
}

/** Recordings do not say how the tools were declared, so the calls do: every parameter that was ever given, with its type. */
function toolsUsed(turns: readonly Turn[]): readonly ToolSpec[] {
  const calls = turns.flatMap(({ steps }) => steps.flatMap(step => step.calls))
  const byName = [...Map.groupBy(calls, ({ tool }) => tool)].sort(([a], [b]) => (a < b ? -1 : 1))
  return byName.map(([name, used]) => {
    const given = used.flatMap(({ args }) => Object.entries(args ?? {}))
    const properties = Object.fromEntries(given.map(([key, value]) => [key, { type: jsonType(value) }]))
    return { name, description: `${name.replaceAll('_', ' ')}.`, parameters: { type: 'object', properties } }
  })
}

const jsonType = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** How people, voices and tools of one kind of conversation speak: medians in words, and how far from them it goes. */
export type Shape = {
  readonly name: string
  readonly heard: number
  readonly answer: number
  readonly result: number
  /** The share of turns that use tools, and the most steps that do. */
  readonly toolShare: number
  readonly mostSteps: number
}

/** People who talk: short messages, now and then something is looked up. */
export const TALK: Shape = { name: 'talk', heard: 24, answer: 90, result: 110, toolShare: 0.3, mostSteps: 2 }
/** An agent at work: most turns run tools several times, and what tools say is long. */
export const WORK: Shape = { name: 'work', heard: 35, answer: 120, result: 260, toolShare: 0.85, mostSteps: 6 }

type Wanted = {
  readonly shape: Shape
  readonly seed: number
  /** Until there are this many of them. */
  readonly until: { readonly tokens: number } | { readonly messages: number }
  readonly voices?: readonly VoiceId[]
  /** What stands before the conversation, where it should be more than usual. */
  readonly moreHouseWords?: number
}

/** A conversation made up from a seed: the same seed, the same words. */
export function generated({ shape, seed, until, voices = [VOICE], moreHouseWords = 0 }: Wanted): Conversation {
  const chance = randomOf(seed)
  const house = { ...HOUSE, system: `${HOUSE.system}${moreHouseWords === 0 ? '' : ` ${prose(moreHouseWords, randomOf(8))}`}` }
  const known: string[] = []
  const turns: Turn[] = []
  let tokens = 0
  const isEnough = (): boolean => ('tokens' in until ? tokens >= until.tokens : turns.length * 2 >= until.messages)
  while (!isEnough()) {
    for (const [index, voice] of voices.entries()) {
      const steps = [...toolSteps(shape, chance, known), { text: prose(lengthAbout(shape.answer, chance), chance), calls: [] }]
      turns.push({ heard: index === 0 ? prose(lengthAbout(shape.heard, chance), chance) : null, voice, steps })
      tokens += lengthOf(conversationOf('', HOUSE, turns.slice(-1)))
    }
  }
  const length = 'tokens' in until ? `${until.tokens} tokens` : `${until.messages} messages`
  return conversationOf(`${shape.name} of ${length}, seed ${seed}`, house, turns)
}

export type Chance = () => number

function toolSteps({ toolShare, mostSteps, result }: Shape, chance: Chance, known: string[]): readonly Step[] {
  if (chance() >= toolShare) return []
  return Array.from({ length: 1 + Math.floor(chance() * mostSteps) }, (): Step => {
    const { name } = HOUSE.tools[Math.floor(chance() * HOUSE.tools.length)] ?? { name: 'look' }
    const id = recalled(known, chance)
    const made = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => `item_${Math.floor(chance() * 900_000) + 100_000}`)
    const found = made.map(each => `${each}: ${prose(lengthAbout(result / made.length, chance), chance)}`).join('\n')
    known.push(...made)
    return {
      text: '',
      calls: [{ tool: name, args: { ...(id === undefined ? {} : { id }), note: prose(4, chance) }, result: found }],
    }
  })
}

/** What is used again was mostly seen just now, and sometimes a long time ago. */
export function recalled(known: readonly string[], chance: Chance): string | undefined {
  const back = chance() < 0.7 ? Math.floor(chance() * 4) : Math.floor((known.length + 1) ** chance()) - 1
  return known.at(-1 - Math.min(back, known.length - 1))
}

/** Lengths as people's are: many short, few long. */
export function lengthAbout(median: number, chance: Chance): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
  return Math.max(2, Math.min(Math.round(median * Math.exp(0.7 * normal)), median * 5))
}

export function prose(words: number, chance: Chance): string {
  const said = Array.from({ length: words }, (_, index) => {
    // Small numbers come often, as the words at the front of the list do.
    const word = WORDS[Math.floor(WORDS.length * chance() ** 2)] ?? 'and'
    return index > 0 && index % 12 === 0 ? `${word}.` : word
  })
  return `${said.join(' ')}.`
}

/** Mulberry32. */
export function randomOf(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const WORDS = `the of and to in a is it that for you was on are with as this have from they we be not by but what all were when
your can there use an each which she do how their if will up other about out many then them these so some her would make like him
into time has look two more write go see number no way could people my than first water been call who oil its now find long down
day did get come made may part over new sound take only little work know place year live me back give most very after thing our
just name good sentence man think say great where help through much before line right too mean old any same tell boy follow came
want show also around form three small set put end does another well large must big even such because turn here why ask went men
read need land different home us move try kind hand picture again change off play spell air away animal house point page letter
mother answer found study still learn should harbour ferry invoice passenger ticket refund schedule platform luggage delayed
connection reservation confirmed upgrade departure arrival balance certificate warehouse shipment customs address receipt`.split(
  /\s+/,
)

const HOUSE: House = {
  system: `You work at the desk of a small ferry and parcel line. ${prose(420, randomOf(7))}`,
  tools: ['cancel_item', 'change_item', 'find_items', 'price_item', 'read_item', 'write_note'].map((name, index) => ({
    name,
    description: prose(14, randomOf(index + 1)),
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Which item' },
        note: { type: 'string', description: 'Why, in a few words' },
      },
      required: ['note'],
    },
  })),
}
